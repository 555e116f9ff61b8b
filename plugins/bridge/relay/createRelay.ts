// Makes the bridge provider's adapter, and a cache of its chains and currencies.

import { LRUCache } from "lru-cache";
import { z } from "zod";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import {
	CHAINS_FRESH_MS,
	CHAINS_STALE_MS,
	CURRENCIES_FRESH_MS,
	CURRENCIES_KEPT_MAX,
} from "#plugins/bridge/limits.ts";
import {
	createRelayClient,
	type RelayClientOptions,
	relayFault,
} from "#plugins/bridge/relay/createRelayClient.ts";
import type {
	Relay,
	RelayCallOptions,
	RelayChain,
	RelayCurrency,
	RelayQuoteRequest,
	RelayStatus,
} from "#plugins/bridge/relay/Relay.ts";
import {
	wireChain,
	wireChains,
	wireCurrencies,
	wireCurrency,
	wirePermitAnswer,
	wireQuote,
	wireRequest,
	wireRequests,
	wireStatus,
} from "#plugins/bridge/relay/wire.ts";

export type Directory = {
	/** Returns the provider's chains, half a minute old at most. */
	chains(options: RelayCallOptions): Promise<readonly RelayChain[]>;
	/** Returns its chains, older ones where the provider does not answer: for reading and showing. */
	knownChains(options: RelayCallOptions): Promise<readonly RelayChain[]>;
	/** Verified currencies whose name or symbol has the term in it, or the one at an address. */
	currencies(
		query: { chainId: number; term?: string; address?: Address },
		options: RelayCallOptions,
	): Promise<readonly RelayCurrency[]>;
};

const CURRENCIES_MAX = 100;

const nothing = async (): Promise<[]> => [];
const isOff = async (): Promise<never> => {
	throw relayFault.off();
};

/** Stands for the provider where none is configured: it has no chains and refuses calls. */
export const offRelay: Relay = {
	canSearch: false,
	chains: nothing,
	currencies: nothing,
	quote: isOff,
	permit: isOff,
	status: isOff,
	search: isOff,
	hint: isOff,
};

/** Makes the adapter of the bridge provider over HTTP; it makes no calls until it is used. */
export function createRelay(options: RelayClientOptions): Relay {
	const call = createRelayClient(options);
	return {
		canSearch: options.apiKey !== undefined,
		async chains(callOptions) {
			const found = await call(
				{ name: "chains", class: "other", path: "/chains", schema: wireChains },
				callOptions,
			);
			// One that cannot be read is one that nothing is bridged to.
			return (found?.chains ?? []).flatMap((row) => chainOf(row) ?? []);
		},
		async currencies({ chainId, term, address }, callOptions) {
			const body = {
				...{ chainIds: [chainId], limit: CURRENCIES_MAX, includeAllChains: false },
				...(address === undefined ? { verified: true } : { address }),
				...(term !== undefined && { term }),
			};
			const asked = { name: "currencies", class: "other", path: "/currencies/v2" } as const;
			const found = await call({ ...asked, body, schema: wireCurrencies }, callOptions);
			const rows = (found ?? []).flatMap((row) => currencyOf(row) ?? []);
			return rows.filter((one) => one.chainId === chainId);
		},
		async quote(request, callOptions) {
			const asked = { name: "quote", class: "quote", path: "/quote/v2" } as const;
			const body = bodyOf(request);
			const found = await call({ ...asked, body, schema: wireQuote }, callOptions);
			if (found === null) throw relayFault.refused({ detail: "no such route" });
			return found;
		},
		async permit({ signature, body }, callOptions) {
			const path = `/execute/permits?signature=${signature}`;
			const asked = { name: "permits", class: "other", path, schema: wirePermitAnswer } as const;
			const found = await call({ ...asked, body }, callOptions);
			if (found === null) throw relayFault.refused({ detail: "no such request" });
			return found.steps ?? [];
		},
		async status(requestId, callOptions) {
			const path = `/intents/status/v3?requestId=${requestId}`;
			const asked = { name: "status", class: "other", path, schema: wireStatus } as const;
			const found = await call(asked, callOptions);
			return found === null ? { kind: "unseen" } : statusOf(found);
		},
		async search(by, callOptions) {
			const [key, value] = Object.entries(by)[0] ?? [];
			const name = key === "depositHash" ? "depositTxHash" : "orderId";
			const path = `/requests/v3?${name}=${value}&limit=1`;
			const asked = { name: "requests", class: "requests", path, schema: wireRequests } as const;
			const found = await call(asked, callOptions);
			return requestOf(found?.requests[0]);
		},
		async hint({ chainId, hash, requestId }, callOptions) {
			const body = { chainId: String(chainId), txHash: hash, requestId };
			const asked = { name: "index", class: "other", path: "/transactions/index" } as const;
			await call({ ...asked, body, schema: z.unknown() }, callOptions);
		},
	};
}

/** Makes a cache of what the provider publishes; many callers at once share one request. */
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

function chainOf(row: unknown): RelayChain | null {
	const { data } = wireChain.safeParse(row);
	if (!data) return null;
	const { id, name, displayName, currency, protocol } = data;
	const solver = data.solverCurrencies ?? [];
	return {
		...{ id, name, displayName, httpRpcUrl: data.httpRpcUrl ?? null },
		isEvm: data.vmType === "evm",
		isDisabled: data.disabled || !data.depositEnabled,
		isLagging: data.blockProductionLagging,
		currency: { symbol: currency.symbol, decimals: currency.decimals },
		solverCurrencies: [ZERO_ADDRESS, ...solver.flatMap(({ address }) => address ?? [])],
		solverAddresses: data.solverAddresses ?? [],
		protocol: protocol ? { name: protocol.v2.chainId, depository: protocol.v2.depository } : null,
		contracts: contractsOf(data),
		permits: permitsOf(data),
	};
}

function contractsOf({ contracts }: z.output<typeof wireChain>): Address[] {
	return [contracts, contracts?.v3].flatMap((all) => {
		return [all?.erc20Router, all?.approvalProxy, all?.relayReceiver].flatMap((one) => one ?? []);
	});
}

function permitsOf({ contracts, erc20Currencies }: z.output<typeof wireChain>) {
	const spender = contracts?.v3?.approvalProxy;
	if (!spender) return null;
	const tokens = (erc20Currencies ?? []).flatMap(({ address, supportsPermit }) => {
		return address && supportsPermit === true ? [address] : [];
	});
	return { spender, tokens };
}

function currencyOf(row: unknown): RelayCurrency | null {
	const { data } = wireCurrency.safeParse(row);
	if (!data || data.symbol === "") return null;
	const { chainId, address, symbol, name, decimals, metadata } = data;
	return { chainId, address, symbol, name, decimals, isVerified: metadata?.verified === true };
}

/** Returns the body of a quote; it always names a refund address, or nothing would come back. */
function bodyOf(request: RelayQuoteRequest): Record<string, unknown> {
	const { amountRaw, usePermit, ...rest } = request;
	return {
		...rest,
		amount: String(amountRaw),
		tradeType: "EXACT_INPUT",
		explicitDeposit: true,
		includeProtocolData: true,
		usePermit,
		// One signature for the order, and no swap that needs another.
		...(usePermit && { forceSolverExecution: true }),
		useDepositAddress: false,
		// A swap before the deposit is calldata of somebody else's.
		disableOriginSwaps: true,
	};
}

function statusOf(found: z.output<typeof wireStatus>): RelayStatus {
	return {
		kind: "seen",
		status: found.status,
		depositHashes: found.inTxHashes,
		// It does not say on which chain: both are looked at.
		outHashes: found.txHashes.map((hash) => ({ hash, chainId: null })),
		updatedAtMs: found.updatedAt ?? null,
		failReason: reasonOf(found.refundFailReason) ?? reasonOf(found.failReason),
	};
}

function reasonOf(text: string | null | undefined): string | null {
	return text == null || text === "N/A" ? null : text;
}

function requestOf(row: unknown): { requestId: `0x${string}`; status: RelayStatus } | null {
	const { data } = wireRequest.safeParse(row);
	if (!data) return null;
	const { inTxs = [], outTxs = [], failReason = null } = data.data ?? {};
	const status: RelayStatus = {
		kind: "seen",
		status: data.status,
		depositHashes: inTxs.map(({ txHash }) => txHash),
		outHashes: outTxs.map(({ txHash, chainId }) => ({ hash: txHash, chainId: chainId ?? null })),
		updatedAtMs: null,
		failReason: reasonOf(failReason),
	};
	return { requestId: data.id, status };
}
