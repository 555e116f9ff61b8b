import type { ContentCoding } from "#core/http/content/ContentCoding.ts";

/** The best coding for a client; undefined where it accepts none of ours. */
export type AcceptedCodings = {
	/** For an answer that is large enough to compress. */
	large: ContentCoding | undefined;
	/** For a smaller one. */
	small: ContentCoding | undefined;
};

type Wish = { coding: string; weight: number };

/** Our order where the client has no preference: by the cost for it and for us (see the README). */
const OURS: readonly ContentCoding[] = ["zstd", "br", "gzip", "identity"];
/** RFC 9110 12.4.2: up to three digits after the point. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
/**
 * How many headers are remembered: as many as browsers and libraries send. Longer ones are parsed
 * each time.
 */
const REMEMBERED_MAX = 128;
const REMEMBERED_LENGTH_MAX = 128;

const AS_IT_IS: AcceptedCodings = { large: "identity", small: "identity" };
const remembered = new Map<string, AcceptedCodings>();

/**
 * Reads an `Accept-Encoding` header (RFC 9110 12.5.3): weights, `*`, and refusals with `q=0`.
 * Invalid entries are ignored. Without the header the answer is sent uncompressed: such a client
 * may be unable to decode anything.
 */
export function acceptedCodings(header: string | null): AcceptedCodings {
	if (header === null) return AS_IT_IS;
	const known = remembered.get(header);
	if (known) return known;
	const read = readHeader(header);
	if (header.length <= REMEMBERED_LENGTH_MAX) {
		if (remembered.size >= REMEMBERED_MAX) remembered.clear();
		remembered.set(header, read);
	}
	return read;
}

function readHeader(header: string): AcceptedCodings {
	const wishes = header.split(",").flatMap(readWish);
	const weightOf = (coding: ContentCoding): number => {
		const own = wishes.find((wish) => wish.coding === coding);
		const any = wishes.find((wish) => wish.coding === "*");
		// Below every explicit weight: so plain is used if nothing else is accepted, unless it was
		// refused.
		return (own ?? any)?.weight ?? (coding === "identity" ? Number.MIN_VALUE : 0);
	};
	const large = OURS.reduce((best, coding) => (weightOf(coding) > weightOf(best) ? coding : best));
	const best = weightOf(large) > 0 ? large : undefined;
	return { large: best, small: weightOf("identity") > 0 ? "identity" : best };
}

function readWish(text: string): Wish[] {
	const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
	const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
	if (name === "" || !WEIGHT.test(weight)) return [];
	// RFC 9110 8.4.1.3: an older name of gzip.
	return [{ coding: name === "x-gzip" ? "gzip" : name, weight: Number(weight) }];
}
