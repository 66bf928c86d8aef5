/** A time zone: its offset and abbreviation at an instant. */
export interface Zone {
  /** Seconds east of UTC and the abbreviation, as in `MST`. */
  at(unixSeconds: number): { readonly offset: number; readonly name: string };
}

export const utc: Zone = { at: () => ({ offset: 0, name: "UTC" }) };

/** A zone with one offset; without a name its abbreviation is empty. */
export function fixedZone(offset: number, name: string): Zone {
  return { at: () => ({ offset, name }) };
}

/**
 * Abbreviations that the tz database has and JavaScript's own data has not, by the beginning of the zone's name and
 * the offset in hours. All other zones without one show their offset, as the tz database does, too.
 */
const abbreviations: readonly (readonly [prefix: string, hours: number, name: string])[] = [
  ["Europe/London", 0, "GMT"],
  ["Europe/London", 1, "BST"],
  ["Europe/Dublin", 0, "GMT"],
  ["Europe/Dublin", 1, "IST"],
  ["Europe/Lisbon", 0, "WET"],
  ["Europe/Lisbon", 1, "WEST"],
  ["Europe/Moscow", 3, "MSK"],
  ["Europe/Minsk", 3, "+03"],
  ["Europe/Istanbul", 3, "+03"],
  ["Europe/", 1, "CET"],
  ["Europe/", 2, "CEST"],
  ["Europe/", 3, "EEST"],
  ["Asia/Kolkata", 5.5, "IST"],
  ["Asia/Calcutta", 5.5, "IST"],
  ["Asia/Tokyo", 9, "JST"],
  ["Asia/Seoul", 9, "KST"],
  ["Asia/Shanghai", 8, "CST"],
  ["Asia/Taipei", 8, "CST"],
  ["Asia/Hong_Kong", 8, "HKT"],
  ["Asia/Manila", 8, "PST"],
  ["Asia/Karachi", 5, "PKT"],
  ["Asia/Jakarta", 7, "WIB"],
  ["Asia/Jerusalem", 2, "IST"],
  ["Asia/Jerusalem", 3, "IDT"],
  ["Australia/Perth", 8, "AWST"],
  ["Australia/", 9.5, "ACST"],
  ["Australia/", 10, "AEST"],
  ["Australia/", 10.5, "ACDT"],
  ["Australia/", 11, "AEDT"],
  ["Pacific/Auckland", 12, "NZST"],
  ["Pacific/Auckland", 13, "NZDT"],
  ["Pacific/Guam", 10, "ChST"],
  ["Africa/Johannesburg", 2, "SAST"],
  ["Africa/Nairobi", 3, "EAT"],
  ["Africa/Lagos", 1, "WAT"],
  ["Africa/Cairo", 2, "EET"],
  ["Africa/Cairo", 3, "EEST"],
  ["Africa/Maputo", 2, "CAT"],
];

/** Zones in eastern Europe, where two hours are winter time. */
const easternEurope = new Set(
  "Athens Bucharest Chisinau Helsinki Kiev Kyiv Mariehamn Riga Sofia Tallinn Vilnius Kaliningrad"
    .split(" ")
    .map((city) => `Europe/${city}`),
);

function offsetName(offset: number): string {
  const minutes = Math.abs(offset) / 60;
  const rest = Math.floor(minutes % 60);
  const hours = String(Math.floor(minutes / 60)).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${hours}${rest === 0 ? "" : String(rest).padStart(2, "0")}`;
}

function abbreviation(zone: string, offset: number, short: string): string {
  if (!short.startsWith("GMT") || short === "GMT") return short;
  if (easternEurope.has(zone) && offset === 7_200) return "EET";
  const known = abbreviations.find(([prefix, hours]) => zone.startsWith(prefix) && hours * 3_600 === offset);
  return known?.[2] ?? offsetName(offset);
}

class NamedZone implements Zone {
  readonly #name: string;
  readonly #format: Intl.DateTimeFormat;

  constructor(name: string) {
    this.#name = name;
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      era: "short",
      timeZoneName: "short",
    });
  }

  at(unixSeconds: number): { readonly offset: number; readonly name: string } {
    const parts = new Map(this.#format.formatToParts(unixSeconds * 1_000).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0);
    const year = parts.get("era") === "BC" ? 1 - number("year") : number("year");
    const days = daysFromCivil(year, number("month"), number("day"));
    const local = days * 86_400 + number("hour") * 3_600 + number("minute") * 60 + number("second");
    const offset = local - unixSeconds;
    return { offset, name: abbreviation(this.#name, offset, parts.get("timeZoneName") ?? "") };
  }
}

const named = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

/** The zone of an IANA name, or undefined when it is unknown. */
export function zoneNamed(name: string): Zone | undefined {
  if (name === "" || name === "UTC") return utc;
  if (!named.test(name)) return undefined;
  try {
    return new NamedZone(name);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Days since 1970-01-01 of a date in the Gregorian calendar, for any year. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
