import type { Chain } from "#core/chain/Chain.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { type TakingBack, takeBack } from "#plugins/market-index/apply/takeBack.ts";
import { takeOutUnconfirmed } from "#plugins/market-index/confirm/sql/takeOutUnconfirmed.ts";
import {
	DOUBT_AFTER_BLOCKS,
	DOUBT_AFTER_MS,
	DOUBT_EVERY_MS,
	DOUBTED_PER_PART_MAX,
} from "#plugins/market-index/merge/limits.ts";
import { findDoubted } from "#plugins/market-index/merge/sql/findDoubted.ts";

export type DoubtOptions = TakingBack &
	Pick<Core, "db" | "indexed"> & { scanner: Pick<Scanner, "progress" | "lock"> };

/** The lanes that would have read them again. */
const LANES = ["sale", "mint"] as const;

/**
 * Makes a job that removes events which left the chain with their block and were not read again,
 * though the provider had told them too: their transaction failed in the new fork, or was replaced.
 * If a lane reads such an event later than this, it is stored anew.
 */
export function doubtJob(options: DoubtOptions): Job {
	const { indexed, scanner, clock } = options;
	return {
		name: "market-index.doubt",
		schedule: { everyMs: DOUBT_EVERY_MS },
		lock: "cluster",
		timeoutMs: DOUBT_EVERY_MS,
		async run({ signal }) {
			for (const { chain } of indexed) {
				for (const kind of LANES) {
					const { indexedBlock } = await scanner.progress(chain.id, kind);
					if (indexedBlock === null) continue;
					const before = new Date(clock.nowMs() - DOUBT_AFTER_MS);
					const doubt = { kind, before, toBlock: indexedBlock - DOUBT_AFTER_BLOCKS };
					while (!signal.aborted) {
						if ((await takeOut(options, chain, doubt)) < DOUBTED_PER_PART_MAX) break;
					}
				}
			}
		},
	};
}

async function takeOut(
	options: DoubtOptions,
	chain: Chain,
	doubt: { kind: (typeof LANES)[number]; before: Date; toBlock: number },
): Promise<number> {
	const chainId = chain.id;
	if ((await findDoubted(options.db, { chainId, ...doubt })).length === 0) return 0;
	return options.db.transaction(async (tx) => {
		await options.scanner.lock(tx, chainId);
		// Read again under the lock: a lane may have read some of them meanwhile.
		const doubted = await findDoubted(tx, { chainId, ...doubt });
		if (doubted.length === 0) return 0;
		const gone = await takeOutUnconfirmed(tx, chainId, doubted);
		await takeBack(options, tx, chain, { gone, standsAlone: async () => [] });
		return doubted.length;
	});
}
