// Maps with Leaflet: the boundaries of sites with hexagons of incursions and machines, and the map on which a boundary is drawn. Without
// this library, the images of the server stay and boundaries are entered as text.
const { L } = globalThis;

// How close a map is drawn at first, and the closest.
const FIRST_ZOOM = 17;
const MAX_ZOOM = 21;
// The closest for which tile servers commonly have images.
const MAX_TILE_ZOOM = 19;
const SHADES = 5;

const language = document.documentElement.lang || "en";

// Leaflet's own layer of tiles replaces the images of old tiles with data: addresses, which pages do not allow.
const Tiles = L?.GridLayer.extend({
  createTile({ x, y, z }, done) {
    const image = document.createElement("img");
    image.alt = "";
    image.onload = () => done(null, image);
    image.onerror = () => done(new Error("a tile is missing"), image);
    image.src = this.options.address.replaceAll("{x}", x).replaceAll("{y}", y).replaceAll("{z}", z);
    return image;
  },
});

function create(element) {
  const { tiles, zoomIn, zoomOut } = element.dataset;
  element.hidden = false;
  const map = L.map(element, { zoomControl: false, attributionControl: false, maxZoom: MAX_ZOOM, worldCopyJump: true });
  L.control.zoom({ zoomInTitle: zoomIn, zoomOutTitle: zoomOut }).addTo(map);
  L.control.scale({ imperial: false }).addTo(map);
  if (tiles) new Tiles({ address: tiles, maxNativeZoom: MAX_TILE_ZOOM, maxZoom: MAX_ZOOM }).addTo(map);
  return map;
}

function show(map, bounds) {
  if (bounds.isValid()) map.fitBounds(bounds, { padding: [24, 24], maxZoom: FIRST_ZOOM, animate: false });
  else map.setView([30, 10], 2);
}

async function get(address) {
  const answer = await fetch(address, { headers: { accept: "application/json, application/geo+json" } });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

// Text of tooltips comes as an element, so that a name is never markup.
function say(layer, text, options = {}) {
  const words = document.createElement("span");
  words.dir = "auto";
  words.textContent = text;
  return layer.bindTooltip(words, options);
}

// Adds a site with its machines, and returns what it covers.
async function addSite(map, id, isLink) {
  const features = await get(`/api/v1/worksites/${id}/geo`);
  const layers = L.geoJSON(features, {
    style: ({ properties }) =>
      properties.feature === "boundary" ? { color: properties.colour, weight: 2, fillOpacity: 0.08 } : {},
    pointToLayer: ({ properties }, at) =>
      L.circleMarker(at, { radius: 6, className: properties.inside ? "map-machine" : "map-machine outside" }),
    onEachFeature: ({ properties }, layer) => {
      const isMachine = properties.feature === "machine";
      say(layer, properties.name);
      if (isMachine || isLink) {
        layer.on("click", () => location.assign(`/${isMachine ? "machines" : "sites"}/${properties.id}`));
      }
    },
  });
  return layers.addTo(map).getBounds();
}

// Adds the hexagons of incursions beneath everything else, darker where there are more.
async function addHexagons(map, address, words) {
  const { features } = await get(address);
  const number = new Intl.NumberFormat(language);
  const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const count = ({ properties }) => properties.incursions?.value ?? 0;
  const most = Math.max(1, ...features.map(count));
  const layer = L.geoJSON(features, {
    style: (feature) => {
      const shade = Math.min(SHADES - 1, Math.floor(Math.sqrt(count(feature) / most) * SHADES));
      return { className: `map-hexagon h${shade}`, weight: 1 };
    },
    onEachFeature: (feature, hexagon) => {
      const rate = feature.properties.acknowledgement_rate?.value;
      const text = words.replace("{n}", number.format(count(feature)));
      say(hexagon, text.replace("{share}", rate === null || rate === undefined ? "–" : share.format(rate)));
    },
  });
  layer.addTo(map).bringToBack();
}

async function showSites(element) {
  const { sites, hexagons, hexagonWords } = element.dataset;
  const ids = sites.split(",");
  const map = create(element);
  const added = await Promise.allSettled(ids.map((id) => addSite(map, id, ids.length > 1)));
  const covered = added.filter(({ status }) => status === "fulfilled").map(({ value }) => value);
  const bounds = covered.reduce((all, one) => all.extend(one), L.latLngBounds([]));
  if (!bounds.isValid()) {
    map.remove();
    element.hidden = true;
    return;
  }
  show(map, bounds);
  for (const still of element.parentElement.querySelectorAll("[data-map-still]")) still.hidden = true;
  if (hexagons) await addHexagons(map, hexagons, hexagonWords);
}

if (L) {
  for (const element of document.querySelectorAll("[data-map=sites]")) {
    showSites(element).catch(() => { /* What was drawn so far stays. */ });
  }
  for (const element of document.querySelectorAll("[data-map=edit]")) {
    const { edit } = await import(element.dataset.drawing);
    edit(element, { create, show, get, say });
  }
}
