import type { Chain } from "#core/chain/Chain.ts";
import { displayCount } from "#plugins/market-index/display/displayCount.ts";
import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import { displayTime } from "#plugins/market-index/display/displayTime.ts";
import type { DropRow, StoredStage } from "#plugins/market-index/drops/DropRow.ts";
import { nativeTotal } from "#plugins/market-index/rollup/nativeTotal.ts";
import type { Drop } from "#plugins/market-index/schemas/dropSchema.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** Renders a drop for clients. */
export function renderDrop(
	chain: Chain,
	row: DropRow,
	{ prices, nowMs }: { prices: Pick<Prices, "toNative">; nowMs: number },
): Drop {
	return {
		slug: row.slug ?? row.contract,
		isIndexed: row.slug !== null,
		chain: chain.slug,
		contractAddress: row.contract,
		name: row.name,
		imageUrl: row.imageUrl,
		type: row.type,
		state: stateOf(row, nowMs),
		stages: row.stages.map((stage) => renderStage(chain, stage, { prices, nowMs })),
		maxSupply: displayCount(row.maxSupply),
		totalSupply: row.totalSupply === null ? null : Number(row.totalSupply),
		startsAt: displayTime(row.startsAt),
		endsAt: displayTime(row.endsAt),
		seenAt: row.seenAt.toISOString(),
	};
}

function stateOf(row: DropRow, nowMs: number): Drop["state"] {
	const { startsAt, endsAt, isMinting } = row;
	if (endsAt !== null && endsAt.getTime() <= nowMs) return "ended";
	if (isMinting) return "minting";
	if (startsAt !== null && startsAt.getTime() > nowMs) return "upcoming";
	return startsAt !== null && endsAt !== null ? "minting" : null;
}

/** Renders a stage, its price as an ETH equivalent at the present rate: nothing was paid yet. */
function renderStage(
	chain: Chain,
	stage: StoredStage,
	{ prices, nowMs }: { prices: Pick<Prices, "toNative">; nowMs: number },
): Drop["stages"][number] {
	const { currency, priceRaw } = stage;
	const totalRaw = priceRaw === null ? null : BigInt(priceRaw);
	const wei = nativeTotal(chain, { currency, totalRaw, occurredAtMs: nowMs }, prices);
	// A free mint is free in every currency.
	const native = totalRaw === 0n ? totalRaw : wei;
	return { ...stage, priceNative: displayNative(native === null ? null : native.toString()) };
}
