import type { Chain } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { DropRow, StoredStage } from "#plugins/market-index/drops/DropRow.ts";
import { displayCount } from "#plugins/market-index/render/displayCount.ts";
import { displayNative } from "#plugins/market-index/render/displayNative.ts";
import { displayTime } from "#plugins/market-index/render/displayTime.ts";
import type { Drop } from "#plugins/market-index/schemas/dropSchema.ts";

/** A drop as clients see it. */
export function renderDrop(chain: Chain, row: DropRow, nowMs: number): Drop {
	return {
		slug: row.slug ?? row.contract,
		isIndexed: row.slug !== null,
		chain: chain.slug,
		contractAddress: row.contract,
		name: row.name,
		imageUrl: row.imageUrl,
		type: row.type,
		state: stateOf(row, nowMs),
		stages: row.stages.map((stage) => renderStage(chain, stage)),
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

/** A price in the chain's coin is an ETH equivalent only where that coin is ETH. */
function renderStage(chain: Chain, stage: StoredStage): Drop["stages"][number] {
	const isNative = stage.currency === ZERO_ADDRESS && chain.nativeIsEth;
	const priceNative = isNative || stage.priceRaw === "0" ? displayNative(stage.priceRaw) : null;
	return { ...stage, priceNative };
}
