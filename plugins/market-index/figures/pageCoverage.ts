import { MINUTE_MS } from "#core/time/units.ts";
import type { CoveredBy } from "#plugins/market-index/figures/coverageOf.ts";
import { coverageOf } from "#plugins/market-index/figures/coverageOf.ts";
import { renderCoverage } from "#plugins/market-index/figures/renderCoverage.ts";
import type { ShownPartial } from "#plugins/market-index/schemas/partialSchema.ts";

/** The time that a page of a list is about; null where it goes back to the beginning. */
export type PageRange = { fromMs: number | null; untilMs: number };

/**
 * Returns which lists of a page were covered in part, by name, and how much of the page's time was.
 * A list that is not named is whole: the page has all events from its last row (or the beginning,
 * where no page follows) up to the row before its first one (or now, on the first page).
 *
 * The end is in whole minutes, so that an otherwise equal answer stays the same.
 */
export function pageCoverage(
	{ fromMs, untilMs }: PageRange,
	lists: Readonly<Record<string, readonly CoveredBy[]>>,
): ShownPartial {
	const partial: ShownPartial = {};
	for (const [name, sources] of Object.entries(lists)) {
		const held = coverageOf({ startMs: fromMs ?? 0, nowMs: untilMs }, sources);
		if (held?.coverage.fraction === 1) continue;
		const { coverage } = held ?? { coverage: NOTHING };
		const endMs = coverage.untilMs;
		partial[name] = renderCoverage({
			fromMs: coverage.fromMs,
			untilMs: endMs === null ? null : Math.max(endMs - (endMs % MINUTE_MS), coverage.fromMs ?? 0),
			// How long ago a collection began is not known.
			fraction: fromMs === null && held ? null : coverage.fraction,
		});
	}
	return partial;
}

const NOTHING = { fromMs: null, untilMs: null, fraction: 0 };
