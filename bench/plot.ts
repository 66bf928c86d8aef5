import type { Measurement } from "./measurement.ts";

/** A picture of how a figure grows with the size of what is worked on. */
export interface Curve {
  readonly title: string;
  /** Name of the picture. */
  readonly file: string;
  readonly svg: string;
}

interface Point {
  readonly size: number;
  readonly value: number;
}

const [width, height, margin] = [560, 320, 56];

/** One picture per curve that the figures name, in their order. The same figures give the same bytes. */
export function curvesOf(measurements: readonly Measurement[]): readonly Curve[] {
  const byCurve = Map.groupBy(
    measurements.filter(({ point, value }) => point !== undefined && value > 0),
    ({ point, unit }) => `${point?.curve ?? ""}, ${unit}`,
  );
  return [...byCurve]
    .filter(([, figures]) => figures.length > 1)
    .map(([title, figures]) => {
      const points = figures.map(({ point, value }) => ({ size: point?.size ?? 1, value }));
      const file = `bench-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.svg`;
      return { title, file, svg: plotSvg(title, points) };
    });
}

/** Both axes logarithmic: what grows in step with the size is as steep as the dashed line. */
export function plotSvg(title: string, points: readonly Point[]): string {
  const sorted = points.toSorted((a, b) => a.size - b.size);
  const x = axis(
    sorted.map(({ size }) => size),
    { from: margin, to: width - 16 },
  );
  const y = axis(
    sorted.map(({ value }) => value),
    { from: height - margin, to: 32 },
  );
  const path = sorted.map(({ size, value }) => `${x.at(size)},${y.at(value)}`).join(" ");
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${margin}" y="20" font-weight="bold">${escape(title)}</text>`,
    ...x.ticks.map((tick) => verticalTick(x.at(tick), label(tick))),
    ...y.ticks.map((tick) => horizontalTick(y.at(tick), label(tick))),
    linearLine(sorted, x, y),
    `<polyline points="${path}" fill="none" stroke="#0a6ed1" stroke-width="2"/>`,
    ...sorted.map(({ size, value }) => dot(x.at(size), y.at(value), label(value))),
    `<text x="${width - 16}" y="${height - 12}" text-anchor="end">Kymas</text>`,
    "</svg>",
  ].join("\n")}\n`;
}

interface Axis {
  /** Where a value stands, in user units with one decimal. */
  readonly at: (value: number) => string;
  /** Powers of ten. */
  readonly ticks: readonly number[];
}

function axis(values: readonly number[], { from, to }: { readonly from: number; readonly to: number }): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 1);
  const at = (value: number): string => {
    const share = (Math.log10(value) - low) / (high - low);
    return (from + share * (to - from)).toFixed(1);
  };
  return { at, ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)) };
}

function verticalTick(at: string, text: string): string {
  const [top, bottom] = [32, height - margin];
  return `<path d="M${at} ${top}V${bottom}" stroke="#ddd"/><text x="${at}" y="${bottom + 18}" text-anchor="middle">${text}</text>`;
}

function horizontalTick(at: string, text: string): string {
  return `<path d="M${margin} ${at}H${width - 16}" stroke="#ddd"/><text x="${margin - 6}" y="${at}" dy="4" text-anchor="end">${text}</text>`;
}

/** From the smallest size on, in step with the size. */
function linearLine(sorted: readonly Point[], x: Axis, y: Axis): string {
  const [first, last] = [sorted.at(0), sorted.at(-1)];
  if (first === undefined || last === undefined) return "";
  const end = (first.value * last.size) / first.size;
  return `<path d="M${x.at(first.size)} ${y.at(first.value)}L${x.at(last.size)} ${y.at(end)}" stroke="#888" stroke-dasharray="4 4"/>`;
}

function dot(x: string, y: string, text: string): string {
  return `<circle cx="${x}" cy="${y}" r="4" fill="#0a6ed1"/><text x="${x}" y="${y}" dy="-8" text-anchor="middle">${text}</text>`;
}

function label(value: number): string {
  return value >= 1_000 ? Math.round(value).toLocaleString("en-US") : Number(value.toPrecision(3)).toString();
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
