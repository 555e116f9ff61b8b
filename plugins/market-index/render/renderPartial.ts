import { renderCoverage } from "#plugins/market-index/figures/renderCoverage.ts";
import type { Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { ShownPartial } from "#plugins/market-index/schemas/partialSchema.ts";

/** Returns the coverage of those figures that are numbers and were covered in part. */
export function renderPartial(figures: Readonly<Record<string, Figure>>): ShownPartial {
	const partial: ShownPartial = {};
	for (const [name, { value, coverage }] of Object.entries(figures)) {
		if (value === null || coverage === null || coverage.fraction === 1) continue;
		partial[name] = renderCoverage(coverage);
	}
	return partial;
}
