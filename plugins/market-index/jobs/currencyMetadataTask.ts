import { z } from "zod";
import { readAbiText } from "#core/chain/abi/readAbiText.ts";
import { readAbiUint } from "#core/chain/abi/readAbiUint.ts";
import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import { callViews } from "#plugins/market-index/metadata/callViews.ts";
import { cleanName } from "#plugins/market-index/metadata/cleanName.ts";
import {
	CHAIN_AWAY_MS,
	CURRENCY_METADATA_TASK,
	currencyJob,
} from "#plugins/market-index/metadata/metadataJobs.ts";

const payload = z.object({
	chainId: z.int(),
	address: z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{40}$/)]),
});

const SYMBOL: Hex = "0x95d89b41";
const DECIMALS: Hex = "0x313ce567";

/** Bounds a symbol's length; a longer one is cut. A symbol is a label and never an identity. */
const SYMBOL_LENGTH_MAX = 32;

/** 10^77 is the largest power of ten below 2^256: more decimals are impossible. */
const DECIMALS_MAX = 77n;

/** Makes the task that reads an ERC-20's symbol and decimals, after the first payment in it. */
export function currencyMetadataTask(
	core: Pick<Core, "db" | "indexed" | "queue">,
): QueueTask<typeof payload> {
	return {
		name: CURRENCY_METADATA_TASK,
		payload,
		attemptsMax: 12,
		timeoutMs: 30_000,
		async run({ chainId, address }, { signal }) {
			const access = core.indexed.find(({ chain }) => chain.id === chainId);
			const contract: Address = address;
			if (!access) {
				// A chain taken out of CHAINS: its tokens wait until it is back.
				const later = { ...currencyJob(chainId, contract), delayMs: CHAIN_AWAY_MS };
				await core.db.transaction((tx) => core.queue.add(tx, [later]));
				return;
			}
			const rpc = access.rpcFor("names");
			const [answers = []] = await callViews(rpc, [contract], [SYMBOL, DECIMALS], signal);
			const [symbol = null, decimals = null] = answers;
			const places = decimals && readAbiUint(decimals);
			const label = cleanName(symbol && readAbiText(symbol)) ?? "";
			// By code points: half of an emoji is no character.
			const short = [...label].slice(0, SYMBOL_LENGTH_MAX).join("").trimEnd();
			// A missing answer never erases an earlier one.
			await core.db.execute(
				`update market_index.currency set
					symbol = coalesce($3, symbol), decimals = coalesce($4, decimals)
				where chain_id = $1 and address = $2`,
				[
					chainId,
					bytesOf(contract),
					short === "" ? null : short,
					places !== null && places <= DECIMALS_MAX ? Number(places) : null,
				],
			);
		},
	};
}
