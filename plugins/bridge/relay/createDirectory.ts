import { LRUCache } from "lru-cache";
import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import {
	CHAINS_FRESH_MS,
	CHAINS_STALE_MS,
	CURRENCIES_FRESH_MS,
	CURRENCIES_KEPT_MAX,
} from "#plugins/bridge/limits.ts";
import type {
	Relay,
	RelayCallOptions,
	RelayChain,
	RelayCurrency,
} from "#plugins/bridge/relay/Relay.ts";

export type Directory = {
	/** The provider's chains, half a minute old at most. */
	chains(options: RelayCallOptions): Promise<readonly RelayChain[]>;
	/** The same, older where the provider does not answer: for reading and for showing. */
	knownChains(options: RelayCallOptions): Promise<readonly RelayChain[]>;
	/** Verified currencies whose name or symbol has the term in it, or the one at an address. */
	currencies(
		query: { chainId: number; term?: string; address?: Address },
		options: RelayCallOptions,
	): Promise<readonly RelayCurrency[]>;
};

/** Keeps what the provider publishes for a while, and asks for it once however many want it. */
export function createDirectory({ relay, clock }: { relay: Relay; clock: Clock }): Directory {
	let held: { atMs: number; chains: readonly RelayChain[] } | null = null;
	let asking: Promise<readonly RelayChain[]> | null = null;
	const found = new LRUCache<string, { atMs: number; rows: readonly RelayCurrency[] }>({
		max: CURRENCIES_KEPT_MAX,
	});

	const isYounger = (atMs: number, ageMs: number) => {
		const oldMs = clock.nowMs() - atMs;
		return oldMs >= 0 && oldMs < ageMs;
	};

	function ask(options: RelayCallOptions): Promise<readonly RelayChain[]> {
		asking ??= relay
			.chains(options)
			.then((chains) => {
				held = { atMs: clock.nowMs(), chains };
				return chains;
			})
			.finally(() => {
				asking = null;
			});
		return asking;
	}

	async function chains(options: RelayCallOptions): Promise<readonly RelayChain[]> {
		return held && isYounger(held.atMs, CHAINS_FRESH_MS) ? held.chains : await ask(options);
	}

	return {
		chains,
		async knownChains(options) {
			try {
				return await chains(options);
			} catch (error) {
				if (held && isYounger(held.atMs, CHAINS_STALE_MS)) return held.chains;
				throw error;
			}
		},
		async currencies(query, options) {
			const key = `${query.chainId} ${query.address ?? ""} ${query.term?.toLowerCase() ?? ""}`;
			const kept = found.get(key);
			if (kept && isYounger(kept.atMs, CURRENCIES_FRESH_MS)) return kept.rows;
			const rows = await relay.currencies(query, options);
			found.set(key, { atMs: clock.nowMs(), rows });
			return rows;
		},
	};
}
