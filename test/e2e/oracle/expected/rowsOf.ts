import type { Expected } from "#test/e2e/oracle/differences.ts";
import { numberOf, partialOf, rawOf } from "#test/e2e/oracle/expected/checkFigure.ts";
import {
	collectionOf,
	lastOf,
	timeOf,
	volumeCurrency,
} from "#test/e2e/oracle/expected/collectionOf.ts";
import type { Figure } from "#test/e2e/oracle/expected/Figure.ts";
import { figuresOf } from "#test/e2e/oracle/expected/figuresOf.ts";
import { type Window, windowFigures } from "#test/e2e/oracle/expected/windowFigures.ts";
import type { View } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";

const name = notAFigure("what it is called, and how it looks");
const state = notAFigure("a state");

/** Returns a row of trending. */
export function trendingRowOf(view: View, nowMs: number, window: Window): Expected {
	const { sales, volume } = windowFigures(view, nowMs, window);
	const [floor, owners, listed] = pick(view, nowMs, ["floorNative", "ownersCount", "listedCount"]);
	return {
		slug: name,
		chain: view.chain,
		contractAddress: view.address,
		name,
		imageUrl: name,
		lifecycle: collectionOf(view, nowMs)["lifecycle"] ?? state,
		soldOut: state,
		lastMintAt: timeOf(lastOf(view.known, "mint")),
		holders: numberOf(owners),
		listed: numberOf(listed),
		volumeNative: numberOf(volume),
		volumeRaw: rawOf(volume),
		volumeCurrency,
		floorNative: numberOf(floor),
		sales: numberOf(sales),
		coverage: partialOf({ sales, volumeNative: volume, holders: owners }),
	};
}

/** Returns a row of discover, and of its stream. */
export function discoverRowOf(view: View, nowMs: number): Expected {
	const [floor, volume, sales, change, mints1h] = pick(view, nowMs, [
		"floorNative",
		"volume24hNative",
		"sales24h",
		"floorChange24hPercent",
		"mints1h",
	]);
	return {
		slug: name,
		chain: view.chain,
		name,
		imageUrl: name,
		floorNative: numberOf(floor),
		volume24hNative: numberOf(volume),
		volumeRaw: rawOf(volume),
		volumeCurrency,
		sales24h: numberOf(sales),
		floorChange24hPercent: numberOf(change),
		mints1h: numberOf(mints1h),
		lastMintAt: timeOf(lastOf(view.known, "mint")),
		revealState: state,
		lifecycle: collectionOf(view, nowMs)["lifecycle"] ?? state,
		coverage: partialOf({ sales24h: sales, volume24hNative: volume, mints1h }),
	};
}

/** Returns a hit of a search in the index. */
export function hitOf(view: View, nowMs: number): Expected {
	const [floor, volume, sales, owners] = pick(view, nowMs, [
		"floorNative",
		"volume24hNative",
		"sales24h",
		"ownersCount",
	]);
	return {
		slug: name,
		chain: view.chain,
		contractAddress: view.address,
		name,
		imageUrl: name,
		floorNative: numberOf(floor),
		volume24hNative: numberOf(volume),
		volumeRaw: rawOf(volume),
		volumeCurrency,
		sales24h: numberOf(sales),
		ownersCount: numberOf(owners),
		coverage: partialOf({ sales24h: sales, volume24hNative: volume, ownersCount: owners }),
		source: "svc_index",
	};
}

function pick<const Names extends readonly string[]>(
	view: View,
	nowMs: number,
	names: Names,
): { [At in keyof Names]: Figure } {
	const figures = figuresOf(view, nowMs);
	return names.map((one) => {
		const figure = figures[one];
		if (!figure) throw new Error(`there is no figure ${one}`);
		return figure;
	}) as never;
}
