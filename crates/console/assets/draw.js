// Drawing a boundary with Terra Draw. `map.js` loads this for the form of a site, and hands over how it makes maps.
const { L, terraDraw, terraDrawLeafletAdapter } = globalThis;

// Mean radius of the earth, in metres.
const EARTH_M = 6_371_008.8;
const CORNERS_OF_CIRCLE = 36;
// Digits of degrees that the service keeps: about a centimetre.
const DIGITS = 7;
// How many outlines of other sites are shown while one is drawn.
const MAX_OTHERS = 30;

const round = (degrees) => Number(degrees.toFixed(DIGITS));

const radians = (degrees) => degrees * Math.PI / 180;
const degrees = (angle) => angle * 180 / Math.PI;

function distance([lon, lat], [otherLon, otherLat]) {
  const height = Math.sin(radians(otherLat - lat) / 2) ** 2;
  const width = Math.sin(radians(otherLon - lon) / 2) ** 2;
  return 2 * EARTH_M * Math.asin(Math.sqrt(height + Math.cos(radians(lat)) * Math.cos(radians(otherLat)) * width));
}

// Returns the closed ring of a circle.
function ringOf([lon, lat], radius) {
  const angle = radius / EARTH_M;
  const corner = (_, index) => {
    const bearing = 2 * Math.PI * (index % CORNERS_OF_CIRCLE) / CORNERS_OF_CIRCLE;
    const sine = Math.sin(radians(lat)) * Math.cos(angle) + Math.cos(radians(lat)) * Math.sin(angle) * Math.cos(bearing);
    const east = Math.sin(bearing) * Math.sin(angle) * Math.cos(radians(lat));
    const north = Math.cos(angle) - Math.sin(radians(lat)) * sine;
    return [round(lon + degrees(Math.atan2(east, north))), round(degrees(Math.asin(sine)))];
  };
  return Array.from({ length: CORNERS_OF_CIRCLE + 1 }, corner).reverse();
}

// Returns the circle that a ring was drawn as.
function circleOf(ring) {
  const corners = ring.slice(1);
  const middle = (axis) => {
    const values = corners.map((corner) => corner[axis]);
    return round((Math.min(...values) + Math.max(...values)) / 2);
  };
  const center = [middle(0), middle(1)];
  const sum = corners.reduce((total, corner) => total + distance(center, corner), 0);
  return { type: "Circle", center, radius_m: Number((sum / corners.length).toFixed(1)) };
}

const isPosition = (value) =>
  Array.isArray(value) && value.length >= 2 && value.slice(0, 2).every((number) => Number.isFinite(number));

// Returns the boundary in a text as a feature to draw; nothing for what cannot be drawn.
function featureOf(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (value?.type === "Feature") value = value.geometry;
  const feature = (mode, rings) => ({
    type: "Feature", properties: { mode }, geometry: { type: "Polygon", coordinates: rings },
  });
  if (value?.type === "Circle") {
    const isCircle = isPosition(value.center) && value.radius_m > 0;
    return isCircle ? feature("circle", [ringOf(value.center, value.radius_m)]) : null;
  }
  const rings = value?.type === "Polygon" && Array.isArray(value.coordinates) ? value.coordinates : [];
  const fits = rings.length > 0 && rings.every((ring) => Array.isArray(ring) && ring.length > 3 && ring.every(isPosition));
  return fits ? feature("polygon", rings.map((ring) => ring.map(([lon, lat]) => [round(lon), round(lat)]))) : null;
}

function textOf({ geometry, properties }) {
  const [ring] = geometry.coordinates;
  if (properties.mode === "circle") return JSON.stringify(circleOf(ring));
  return JSON.stringify({ type: "Polygon", coordinates: [ring.map(([lon, lat]) => [round(lon), round(lat)])] });
}

// The adapter would add a style element for the order of its layers, which pages do not allow.
function adapterOf(map) {
  class Adapter extends terraDrawLeafletAdapter.TerraDrawLeafletAdapter {
    createPaneStyleSheet(name, zIndex) {
      const pane = map.getPane(name) ?? map.createPane(name);
      pane.style.zIndex = String(600 + zIndex);
      return { remove() {} };
    }
  }
  return new Adapter({ lib: L, map });
}

function drawingOn(map) {
  const style = getComputedStyle(document.documentElement);
  const accent = style.getPropertyValue("--accent").trim();
  const panel = style.getPropertyValue("--panel").trim();
  const shape = { fillColor: accent, fillOpacity: 0.12, outlineColor: accent, outlineWidth: 2 };
  const points = { closingPointColor: accent, closingPointOutlineColor: panel, closingPointWidth: 6 };
  const handle = { selectionPointColor: panel, selectionPointOutlineColor: accent, selectionPointOutlineWidth: 2 };
  const selected = { selectedPolygonColor: accent, selectedPolygonFillOpacity: 0.12, selectedPolygonOutlineColor: accent };
  const middles = { midPointColor: accent, midPointOutlineColor: panel };
  return new terraDraw.TerraDraw({
    adapter: adapterOf(map),
    modes: [
      new terraDraw.TerraDrawPolygonMode({ styles: { ...shape, ...points } }),
      new terraDraw.TerraDrawCircleMode({ styles: shape, projection: "globe", segments: CORNERS_OF_CIRCLE }),
      new terraDraw.TerraDrawSelectMode({
        styles: { ...selected, ...handle, ...middles },
        // The whole boundary is removed by its button.
        keyEvents: { deselect: "Escape", delete: null, rotate: null, scale: null },
        flags: {
          polygon: { feature: { draggable: true, coordinates: { midpoints: true, draggable: true, deletable: true } } },
          circle: { feature: { draggable: true, coordinates: { resizable: "center-fixed" } } },
        },
      }),
    ],
  });
}

async function addOthers(map, get, own) {
  const { data } = await get(`/api/v1/worksites?limit=${MAX_OTHERS}`);
  const ids = data.filter((site) => site.area_m2 !== null && String(site.id) !== own).map((site) => site.id);
  const found = await Promise.allSettled(ids.map((id) => get(`/api/v1/worksites/${id}/geo`)));
  const bounds = L.latLngBounds([]);
  for (const { value } of found.filter(({ status }) => status === "fulfilled")) {
    const outline = value.features.filter(({ properties }) => properties.feature === "boundary");
    const layer = L.geoJSON(outline, { style: { className: "map-other", weight: 1 }, interactive: false });
    bounds.extend(layer.addTo(map).getBounds());
  }
  return bounds;
}

// Lets the boundary in the field of a form be drawn on the map.
export async function edit(element, { create, show, get, say }) {
  const field = document.getElementsByName(element.dataset.field)[0];
  const tools = document.querySelector("[data-map-tools]");
  const map = create(element);
  show(map, L.latLngBounds([]));
  const draw = drawingOn(map);
  draw.start();
  draw.setMode("select");
  let still = null;
  // What the field says about the shape on the map.
  let written = "";

  const shapes = () => draw.getSnapshot().filter(({ properties }) => ["polygon", "circle"].includes(properties.mode));

  function press(name) {
    for (const button of tools.querySelectorAll("[data-draw]")) {
      button.setAttribute("aria-pressed", String(button.dataset.draw === name));
    }
  }

  // What is drawn counts as typed: a page on which there is work stays when its session ends.
  const countAsTyped = () => field.dispatchEvent(new Event("input", { bubbles: true }));

  function put(text) {
    field.value = text;
    countAsTyped();
  }

  function write() {
    const [shape] = shapes();
    const text = shape ? textOf(shape) : "";
    // Choosing a shape is a change too, but leaves the text as somebody wrote it.
    if (shape && text !== written) put(text);
    written = text;
  }

  function select() {
    draw.setMode("select");
    press("select");
    const [shape] = shapes();
    if (shape) draw.selectFeature(shape.id);
  }

  // Draws what the field says, and returns what it covers.
  function read() {
    draw.clear();
    still?.remove();
    still = null;
    const feature = featureOf(field.value);
    if (!feature) return L.latLngBounds([]);
    const [added] = feature.geometry.coordinates.length > 1 ? [{ valid: false }] : draw.addFeatures([feature]);
    // Outlines with holes, and what cannot be edited here, are only shown.
    if (!added?.valid) still = L.geoJSON(feature, { style: { weight: 2 } }).addTo(map);
    const [shape] = shapes();
    written = shape ? textOf(shape) : "";
    return L.geoJSON(feature).getBounds();
  }

  draw.on("finish", (id, { action }) => {
    if (action !== "draw") return write();
    // Outside of the event: the mode is still at work.
    setTimeout(() => {
      const others = shapes().filter((shape) => shape.id !== id);
      if (others.length > 0) draw.removeFeatures(others.map((shape) => shape.id));
      still?.remove();
      write();
      select();
    });
  });
  draw.on("change", (ids, type) => {
    const isSelecting = draw.getMode() === "select";
    if (isSelecting && type === "update") write();
    // Half a shape is not in the field yet.
    else if (!isSelecting && type === "create") countAsTyped();
  });
  field.addEventListener("change", () => {
    const bounds = read();
    if (bounds.isValid()) show(map, bounds);
    select();
  });
  tools.addEventListener("click", ({ target }) => {
    const name = target.closest("[data-draw]")?.dataset.draw;
    if (name === "clear") {
      draw.clear();
      still?.remove();
      written = "";
      put("");
      select();
    } else if (name === "select") {
      select();
    } else if (name) {
      draw.setMode(name);
      press(name);
    }
  });
  tools.hidden = false;

  const bounds = read();
  if (element.dataset.fault) {
    const [lon, lat] = element.dataset.fault.split(",").map(Number);
    const mark = L.circleMarker([lat, lon], { radius: 9, className: "map-fault" }).addTo(map);
    say(mark, element.dataset.faultWords, { permanent: true, className: "map-fault-words", direction: "top" }).openTooltip();
    if (!bounds.isValid()) bounds.extend([lat, lon]);
  }
  show(map, bounds);
  select();
  try {
    const others = await addOthers(map, get, element.dataset.site);
    if (!bounds.isValid() && shapes().length === 0) show(map, others);
  } catch {
    // The outlines of other sites only help to find the place.
  }
}
