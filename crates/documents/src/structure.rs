//! The logical structure of a document, for readers who do not see it: what is a heading, a table, a cell, in reading order.
//!
//! Layout creates the nodes; drawing adds the content that belongs to each, possibly from several pages.

use std::num::NonZeroU16;

use krilla::geom::Rect;
use krilla::tagging::{
    BBox, Identifier, ListNumbering, Node, TableHeaderScope, Tag, TagGroup, TagKind, TagTree,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(usize);

/// What a part of a document is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Role {
    Section,
    /// Without a meaning of its own.
    Group,
    Heading {
        level: u8,
        title: String,
    },
    Paragraph,
    /// With bullets.
    List,
    /// Of names and values.
    Details,
    ListItem,
    Label,
    ListBody,
    Table {
        summary: String,
    },
    TableHead,
    TableBody,
    TableRow,
    ColumnHeader,
    RowHeader,
    Cell,
    Caption,
    Figure {
        alt: String,
    },
    Link,
}

struct Entry {
    role: Role,
    children: Vec<Child>,
    /// Page and area of a figure.
    area: Option<(usize, Rect)>,
}

enum Child {
    Node(NodeId),
    Content(Identifier),
}

/// The tree of nodes. A node comes after its parent.
pub(crate) struct Structure {
    roots: Vec<NodeId>,
    entries: Vec<Entry>,
}

impl Structure {
    pub(crate) fn new() -> Self {
        Self { roots: Vec::new(), entries: Vec::new() }
    }

    pub(crate) fn add_root(&mut self, role: Role) -> NodeId {
        let id = self.push(role);
        self.roots.push(id);
        id
    }

    pub(crate) fn add(&mut self, parent: NodeId, role: Role) -> NodeId {
        let id = self.push(role);
        self.entries[parent.0].children.push(Child::Node(id));
        id
    }

    fn push(&mut self, role: Role) -> NodeId {
        self.entries.push(Entry { role, children: Vec::new(), area: None });
        NodeId(self.entries.len() - 1)
    }

    /// Adds content of a page to a node.
    pub(crate) fn add_content(&mut self, node: NodeId, content: Identifier) {
        self.entries[node.0].children.push(Child::Content(content));
    }

    pub(crate) fn set_area(&mut self, node: NodeId, page: usize, area: Rect) {
        self.entries[node.0].area = Some((page, area));
    }

    pub(crate) fn into_tags(self, language: &str) -> TagTree {
        let mut groups: Vec<Option<TagGroup>> = self.entries.iter().map(|_| None).collect();
        for (index, entry) in self.entries.into_iter().enumerate().rev() {
            let mut group = TagGroup::new(tag(entry.role, entry.area));
            for child in entry.children {
                match child {
                    Child::Node(id) => group.children.extend(groups[id.0].take().map(Node::Group)),
                    Child::Content(content) => group.push(content),
                }
            }
            groups[index] = Some(group);
        }
        let mut tree = TagTree::new().with_lang(Some(language.to_owned()));
        for root in self.roots {
            if let Some(group) = groups[root.0].take() {
                tree.push(group);
            }
        }
        tree
    }
}

fn tag(role: Role, area: Option<(usize, Rect)>) -> TagKind {
    match role {
        Role::Section => Tag::Section.into(),
        Role::Group => Tag::Div.into(),
        Role::Heading { level, title } => {
            Tag::Hn(NonZeroU16::MIN.saturating_add(u16::from(level.saturating_sub(1))), Some(title)).into()
        }
        Role::Paragraph => Tag::P.into(),
        Role::List => Tag::L(ListNumbering::Disc).into(),
        Role::Details => Tag::L(ListNumbering::None).into(),
        Role::ListItem => Tag::LI.into(),
        Role::Label => Tag::Lbl.into(),
        Role::ListBody => Tag::LBody.into(),
        Role::Table { summary } => {
            Tag::Table.with_summary(Some(summary).filter(|summary| !summary.is_empty())).into()
        }
        Role::TableHead => Tag::THead.into(),
        Role::TableBody => Tag::TBody.into(),
        Role::TableRow => Tag::TR.into(),
        Role::ColumnHeader => Tag::TH(TableHeaderScope::Column).into(),
        Role::RowHeader => Tag::TH(TableHeaderScope::Row).into(),
        Role::Cell => Tag::TD.into(),
        Role::Caption => Tag::Caption.into(),
        Role::Figure { alt } => {
            Tag::Figure(Some(alt)).with_bbox(area.map(|(page, area)| BBox::new(page, area))).into()
        }
        Role::Link => Tag::Link.into(),
    }
}
