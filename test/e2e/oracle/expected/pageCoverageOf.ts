import type { Check } from "#test/e2e/oracle/differences.ts";
import type { Fact, View } from "#test/e2e/oracle/Known.ts";

/** The kind of event in each list of a page. */
const KINDS: Record<string, Fact["kind"]> = {
	candles: "sale",
	points: "sale",
	sale: "sale",
	mint: "mint",
	transfer: "transfer",
};

/**
 * Checks a page's statement of the time that it shows: every accepted event between the ends it
 * names must have been told.
 */
export function pageCoverageOf(view: View): Check {
	const { known, truth, lanesFromMs } = view;
	const nameOf = ({ kind, transaction, tokenId }: Fact) => `${kind} ${transaction} ${tokenId}`;
	const isKnown = new Set(known.map(nameOf));
	return (actual) => {
		if (typeof actual !== "object" || actual === null) return "no coverage by list";
		for (const [name, { from, until }] of Object.entries<any>(actual)) {
			const kind = KINDS[name];
			if (!kind) return `names ${name}, which no page has`;
			if (from === null || until === null) continue;
			const left = truth.filter((fact) => {
				const isElsewhere = fact.block === null && fact.atMs >= (lanesFromMs ?? Infinity);
				if (fact.kind !== kind || !fact.accepted || isElsewhere) return false;
				const isInside = fact.atMs >= Date.parse(from) && fact.atMs <= Date.parse(until);
				return isInside && !isKnown.has(nameOf(fact));
			});
			if (left.length > 0) return `${left.length} of ${name} were never told`;
		}
		return undefined;
	};
}
