import { coins } from "#test/conformance/provider/world/coins.ts";
import { addOrder, steps } from "#test/conformance/provider/world/growCollection.ts";
import { growingIn } from "#test/conformance/provider/world/trading.ts";
import { viewOf } from "#test/e2e/oracle/askLists.ts";
import { createViews } from "#test/e2e/oracle/createViews.ts";
import { differences } from "#test/e2e/oracle/differences.ts";
import { figureOf, numberOf, type Tally } from "#test/e2e/oracle/expected/checkFigure.ts";
import { floorDollarsOf } from "#test/e2e/oracle/expected/collectionOf.ts";
import { type Figure, UNKNOWN } from "#test/e2e/oracle/expected/Figure.ts";
import { figuresOf } from "#test/e2e/oracle/expected/figuresOf.ts";
import type { View } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";
import type { OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { readRates } from "#test/e2e/oracle/readRates.ts";
import { openStream } from "#test/harness/openStream.ts";

/** By then every floor told until now is too old to be the floor of a day ago. */
const DAY_MS = 24.5 * 3_600_000;
/** Cheaper than any listing of the world. */
const CHEAP = steps(21_500, coins.eth);
const MOVED = "told-whole";
const name = "floorChange24hPercent";

/**
 * Moves the clock by a day, then has one collection's floor told anew: compares its frame, and each
 * change of a floor against its value before.
 */
export async function dayLater(
	oracle: OracleLab,
	{ problems, tally }: { problems: string[]; tally: Tally },
): Promise<void> {
	const { lab, feeds, seed } = oracle;
	const before = await createViews(oracle);
	lab.advance(DAY_MS);
	// Without this no feed would have had a round for a day.
	if (seed % 2 === 1) {
		feeds.publish(lab.nowMs());
		await readRates(oracle);
	}
	const moved = lab.of(MOVED);
	const [place] = moved.places;
	addOrder(moved, { kind: "listing", price: CHEAP }, growingIn(lab.world, lab.nowMs()));
	const path = `/collections/${place?.address}`;
	const base = `${lab.service.url.replace(/^http/, "ws")}/v1/nft-market`;
	const stream = await openStream(`${base}${path}/stream?chain=base`);
	await lab.read(`${path}?chain=base`);
	const frame = await stream.next(({ type }) => type === "floor_update");
	stream.close();
	await lab.idle();
	const views = await createViews(oracle);
	const changeOf = (view: View): Figure => {
		const was = before.find(({ chain, address }) => {
			return chain === view.chain && address === view.address;
		});
		return changed(was ? floorOf(was, lab.nowMs()).value : null, floorOf(view, lab.nowMs()).value);
	};
	const compare = (what: string, wrong: string[]) => {
		problems.push(...wrong.map((one) => `a day later ${what} ${one}`));
	};
	const now = viewOf(views, { slug: MOVED, chain: "base" });
	const floor = floorOf(now, lab.nowMs());
	compare(
		"a floor's frame",
		differences(frame.data, {
			floorNative: floor.value,
			floorUsd: floorDollarsOf(now, floor, lab.nowMs()),
			floorPrice: floor.value,
			floorSymbol: "ETH",
			observedAt: notAFigure("a time at which the service did something"),
		}),
	);
	const { figures, market: page } = await lab.read(`${path}?chain=base`);
	const dollars = floorDollarsOf(now, floor, lab.nowMs());
	compare("the page", differences(page.floor_price_usd, dollars));
	compare("the page", differences(figures[name], figureOf(changeOf(now), name, tally)));
	const { market } = await lab.read("/discover?limit=200");
	for (const row of market) {
		const wrong = differences(row[name], numberOf(changeOf(viewOf(views, row))));
		compare(`discover's row of ${row.slug}`, wrong);
	}
}

function floorOf(view: View, nowMs: number): Figure {
	const floor = figuresOf(view, nowMs)["floorNative"];
	if (!floor) throw new Error("a figure is missing");
	return floor;
}

function changed(was: number | null, now: number | null): Figure {
	const isKnown = was !== null && now !== null;
	return {
		...UNKNOWN,
		unit: "percent",
		window: "24h",
		value: isKnown ? ((now - was) / was) * 100 : null,
		sources: ["provider"],
		reasons: ["not_read", "not_counted"],
	};
}
