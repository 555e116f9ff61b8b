import type { Expected } from "#test/e2e/oracle/differences.ts";
import { newestOf } from "#test/e2e/oracle/expected/bookOf.ts";
import { ether } from "#test/e2e/oracle/expected/worthOf.ts";
import type { View } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";

const name = notAFigure("what it is called, and how it looks");
const state = notAFigure("a state");

/** Returns the announced mints as the provider's own answer about each shows them. */
export function dropsOf(views: readonly View[], nowMs: number): Expected[] {
	return views.flatMap((view) => {
		const drop = newestOf(view.told.drops)?.answer;
		return drop ? [dropOf(view, drop, nowMs)] : [];
	});
}

function dropOf({ chain, address, rates }: View, drop: any, nowMs: number): Expected {
	const time = (text: string) => new Date(text).toISOString();
	const starts = drop.stages.map((one: any) => time(one.start_time)).sort();
	const ends = drop.stages.map((one: any) => time(one.end_time)).sort();
	return {
		slug: name,
		isIndexed: state,
		chain,
		contractAddress: address,
		name,
		imageUrl: name,
		type: drop.drop_type,
		state: drop.is_minting ? "minting" : state,
		stages: drop.stages.map((stage: any) => ({
			type: stage.stage_type,
			label: stage.label,
			priceNative: nativeOf(rates.weiOf(stage.price_currency_address, BigInt(stage.price), nowMs)),
			priceRaw: stage.price,
			currency: stage.price_currency_address,
			startsAt: time(stage.start_time),
			endsAt: time(stage.end_time),
			maxPerWallet: stage.max_per_wallet,
		})),
		maxSupply: Number(drop.max_supply),
		totalSupply: Number(drop.total_supply),
		startsAt: starts[0] ?? null,
		endsAt: ends.at(-1) ?? null,
		seenAt: state,
	};
}

const nativeOf = (wei: bigint | null): number | null => (wei === null ? null : ether(wei));
