//! DejaVu Sans, regular and bold: the only fonts, so that a document looks the same everywhere. Charts measure text by its
//! widths.

use std::sync::{Arc, OnceLock};

use krilla::text::Font;
use parley::FontContext;
use parley::fontique::{Blob, Collection, CollectionOptions, SourceCache};
use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, GlyphId, MetadataProvider, OutlineGlyphCollection};

use crate::limits::Error;
use crate::model::Weight;

pub(crate) const FAMILY: &str = "DejaVu Sans";
/// Drawn in place of a character that the font lacks.
pub(crate) const BOX: char = '□';
/// How far letters reach above and below the baseline, as parts of the size.
pub(crate) const ASCENT: f32 = 0.928;
pub(crate) const DESCENT: f32 = 0.236;

/// Both weights.
pub(crate) struct Fonts {
    regular: Face,
    bold: Face,
}

/// One weight.
pub(crate) struct Face {
    data: &'static [u8],
    characters: Charmap<'static>,
    metrics: GlyphMetrics<'static>,
    /// The widths of ASCII characters, in parts of the size.
    ascii_widths: [f32; 128],
    /// The glyph of [`BOX`].
    pub(crate) box_glyph: u32,
    pub(crate) pdf: Font,
}

impl Fonts {
    pub(crate) fn load() -> Result<&'static Self, Error> {
        static FONTS: OnceLock<Option<Fonts>> = OnceLock::new();
        FONTS
            .get_or_init(|| {
                let regular = Face::read(dejavu::sans::regular())?;
                let bold = Face::read(dejavu::sans::bold())?;
                Some(Self { regular, bold })
            })
            .as_ref()
            .ok_or_else(|| Error::Pdf("the fonts cannot be read".to_owned()))
    }

    pub(crate) fn face(&self, weight: Weight) -> &Face {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }

    /// Returns the weight whose font this is.
    pub(crate) fn weight_of(&self, data: &[u8]) -> Weight {
        if std::ptr::eq(data.as_ptr(), self.bold.data.as_ptr()) { Weight::Bold } else { Weight::Regular }
    }

    /// Returns the fonts as those that text is set in; there are no others.
    pub(crate) fn context(&self) -> FontContext {
        let mut collection = Collection::new(CollectionOptions { shared: false, system_fonts: false });
        for face in [&self.regular, &self.bold] {
            collection.register_fonts(Blob::new(Arc::new(face.data)), None);
        }
        FontContext { collection, source_cache: SourceCache::default() }
    }
}

impl Face {
    fn read(data: &'static [u8]) -> Option<Self> {
        let font = FontRef::new(data).ok()?;
        let characters = font.charmap();
        // In parts of an em.
        let metrics = font.glyph_metrics(Size::new(1.0), LocationRef::default());
        let box_glyph = characters.map(BOX)?.to_u32();
        let ascii_widths = std::array::from_fn(|code| {
            let glyph = u8::try_from(code).ok().and_then(|code| characters.map(code));
            glyph.and_then(|glyph| metrics.advance_width(glyph)).unwrap_or_default()
        });
        Some(Self { data, characters, metrics, ascii_widths, box_glyph, pdf: Font::new(data.into(), 0)? })
    }

    pub(crate) fn has(&self, character: char) -> bool {
        self.characters.map(character).is_some_and(|glyph| glyph.to_u32() != 0)
    }

    /// Returns the outlines of its glyphs.
    pub(crate) fn outlines(&self) -> Option<OutlineGlyphCollection<'static>> {
        Some(FontRef::new(self.data).ok()?.outline_glyphs())
    }

    /// Returns how far a glyph reaches below and above the baseline, in parts of the size.
    pub(crate) fn reach(&self, glyph: u32) -> Option<(f32, f32)> {
        let bounds = self.metrics.bounds(GlyphId::new(glyph))?;
        Some((bounds.y_min, bounds.y_max))
    }

    /// Estimates the width of a text, without kerning and ligatures, at a size.
    pub(crate) fn estimate_width(&self, text: &str, size: f32) -> f32 {
        let width = |character: char| {
            if let Some(width) = self.ascii_widths.get(character as usize) {
                return Some(*width);
            }
            let glyph = self.characters.map(character).or_else(|| self.characters.map(BOX))?;
            self.metrics.advance_width(glyph)
        };
        text.chars().filter_map(width).sum::<f32>() * size
    }
}
