// Opens the chains that a deployment reaches: endpoints, time-outs, budgets and quorum of each.

import { type Chain, type ChainRegistry, homeChainOf } from "#core/chain/Chain.ts";
import { type CallBudget, createCallBudget } from "#core/chain/rpc/callBudget.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import { type HttpRpcOptions, httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { createPacer, type RpcEndpoint } from "#core/chain/rpc/openEndpoint.ts";
import { byPurpose } from "#core/chain/rpc/Rpc.ts";
import { rpcMetrics } from "#core/chain/rpc/rpcMetrics.ts";
import { sharedTimeline } from "#core/chain/rpc/timelines.ts";
import { type Clock, systemClock } from "#core/clock.ts";
import type { CoreConfig } from "#core/config/coreConfig.ts";
import type { ConfigProblem } from "#core/config/fields.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import type { Queryable } from "#core/db/Database.ts";
import { defineFaults } from "#core/fault.ts";
import { isPublicHost } from "#core/foreign/addresses.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";

export type EndpointBudgets = {
	of(url: string): CallBudget | undefined;
	/** Counts a call that went over a socket: it uses up what the host allows. */
	spentAt(host: string): void;
};

export type Chains = Pick<Core, "indexed" | "reached">;

type World = {
	config: CoreConfig;
	chains: ChainRegistry;
	log: Log;
	clock: Clock;
	metrics: Metrics | undefined;
	db(): Queryable | null;
};

export const serviceFault = defineFaults({
	chainsMissing: {
		status: 500,
		retry: "never",
		public:
			"CHAINS is not set: name the chains to index, for example CHAINS=base,ethereum. " +
			"`bun run up` runs a sandbox chain instead.",
	},
	chainUnknown: {
		status: 500,
		retry: "never",
		public: "CHAINS names a chain that has no definition.",
	},
	rpcMissing: {
		status: 500,
		retry: "never",
		public: "A chain has no http(s) RPC endpoint.",
	},
	pluginModule: {
		status: 500,
		retry: "never",
		public: "A module of PLUGINS is not a plugin.",
	},
});

const RPC_TIMEOUT_MS = 15_000;
const RPC_CONCURRENCY_MAX = 4;
/** An answer that announces more than this is refused unread; 10,000 logs are about 10 MB. */
const RPC_BODY_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Returns the chains of `CHAINS`, and all that this deployment reaches: those, whatever
 * `CHAIN_RPC_URLS_JSON` names beside them, and the home chain. Connects to nothing yet: an endpoint
 * is connected to, and asked which chain it serves, with the first question to it.
 */
export function chainAccess(
	config: CoreConfig,
	chains: ChainRegistry,
	log: Log,
	{
		clock = systemClock,
		metrics,
		db = () => null,
	}: { clock?: Clock; metrics?: Metrics; db?(): Queryable | null } = {},
): Chains {
	const world = { config, log, clock, metrics, db, chains };
	if (config.CHAINS.length === 0) throw serviceFault.chainsMissing();
	for (const name of Object.keys(config.CHAIN_RPC_URLS_JSON)) {
		if (!chains.bySlug(name)) throw unknownChain("CHAIN_RPC_URLS_JSON", name, chains);
	}
	for (const name of Object.keys(config.CHAIN_RPC_CALLS_PER_SECOND)) {
		const isHost = name === "*" || name.includes(".") || name.includes(":");
		if (!isHost && !chains.bySlug(name))
			throw unknownChain("CHAIN_RPC_CALLS_PER_SECOND", name, chains);
	}
	const indexed = new Map<number, ChainAccess>();
	for (const name of config.CHAINS) {
		const chain = chains.bySlug(name);
		if (!chain) throw unknownChain("CHAINS", name, chains);
		indexed.set(chain.id, accessTo(chain, { ...world, quorum: config.RPC_QUORUM }));
	}
	const reached = new Map(indexed);
	for (const chain of othersOf(config, chains)) {
		if (!reached.has(chain.id)) reached.set(chain.id, accessTo(chain, { ...world, quorum: null }));
	}
	return { indexed: [...indexed.values()], reached: [...reached.values()] };
}

/** Makes the call budgets of one chain's endpoints, by `CHAIN_RPC_CALLS_PER_SECOND` or learned. */
export function endpointBudgets(
	chain: Chain,
	urls: readonly string[],
	world: {
		config: Pick<CoreConfig, "CHAIN_RPC_CALLS_PER_SECOND">;
		chains: ChainRegistry;
		clock: Clock;
		db(): Queryable | null;
	},
): EndpointBudgets {
	const { config, chains, clock, db } = world;
	const budgets = new Map<string, CallBudget>();
	for (const url of urls) {
		const perSecondMax = rateOf(url, chain, config.CHAIN_RPC_CALLS_PER_SECOND, chains);
		// A key often stands in the path, and what it allows is its own.
		const timeline = sharedTimeline({ db, name: `${chain.id} ${url}`, clock });
		budgets.set(url, createCallBudget({ clock, timeline, perSecondMax }));
	}
	return {
		of: (url) => budgets.get(url),
		spentAt(host) {
			for (const [url, budget] of budgets) if (new URL(url).host === host) budget.spent(1);
		},
	};
}

/** Returns what is wrong with `CHAINS`: names that no definition has. */
export function unknownChains(env: Environment, chains: ChainRegistry): ConfigProblem[] {
	const names = (env["CHAINS"] ?? "").split(",").flatMap((name) => name.trim() || []);
	const unknown = names.filter((name) => !chains.bySlug(name));
	const expected = `chains that are defined: ${chains.all.map(({ slug }) => slug).join(", ")}`;
	return unknown.map((got) => ({ variable: "CHAINS", owner: "core", got, expected, because: [] }));
}

function unknownChain(variable: string, name: string, chains: ChainRegistry) {
	const known = chains.all.map(({ slug }) => slug).join(", ");
	return serviceFault.chainUnknown({
		public: `${variable} names "${name}", which is not defined. Defined are: ${known}.`,
	});
}

/**
 * Opens the access to a chain. Null as a quorum: as many of `RPC_QUORUM` as the chain has
 * endpoints.
 */
function accessTo(chain: Chain, world: World & { quorum: number | null }): ChainAccess {
	const { config, log, clock, metrics } = world;
	const urls = urlsOf(chain, world);
	const httpUrls = [...new Set(urls.filter(isHttp))];
	if (httpUrls.length === 0) {
		throw serviceFault.rpcMissing({
			public: `The chain "${chain.slug}" needs at least one http(s) URL in CHAIN_RPC_URLS_JSON.`,
		});
	}
	const quorum = world.quorum ?? Math.min(config.RPC_QUORUM, httpUrls.length);
	if (httpUrls.length < quorum) {
		throw serviceFault.rpcMissing({
			public:
				`RPC_QUORUM is ${quorum}, but the chain "${chain.slug}" has ` +
				`${httpUrls.length} different http(s) URL(s): add some in CHAIN_RPC_URLS_JSON.`,
		});
	}
	const counted = metrics && rpcMetrics(metrics, config.CHAIN_RPC_COMPUTE_UNITS_JSON);
	const budgets = endpointBudgets(chain, httpUrls, world);
	const isAlone = httpUrls.length === 1;
	const rpc = chainRpc({
		chain,
		endpoints: httpUrls.map((url) => endpointAt(url, world, { budget: budgets.of(url), isAlone })),
		clock,
		log,
		metrics: counted,
		quorum,
	});
	const rpcs = byPurpose(rpc);
	return {
		chain,
		// Each purpose has one: what somebody learns of the chain is kept by it.
		rpcFor: (purpose) => rpcs[purpose],
		onSocketCall({ method, bytes, host }) {
			if (method !== "eth_subscription") budgets.spentAt(host);
			counted?.called(chain.slug, [{ method }], "heads");
			counted?.received(chain.slug, { purpose: "heads", bytes });
		},
		headUrls: urls.filter((url) => /^wss?:/i.test(url)),
		quorum,
	};
}

/** Returns the URLs under the chain's id, slug or aliases; else its public endpoints. */
function urlsOf(
	chain: Chain,
	{ config, chains }: Pick<World, "config" | "chains">,
): readonly string[] {
	const configured = Object.entries(config.CHAIN_RPC_URLS_JSON)
		.filter(([name]) => chains.bySlug(name)?.id === chain.id)
		.flatMap(([, urls]) => urls);
	return configured.length > 0 ? configured : chain.publicRpcUrls;
}

function isHttp(url: string): boolean {
	return /^https?:/i.test(url);
}

function endpointAt(
	url: string,
	{ config, clock }: World,
	budgeted: Pick<HttpRpcOptions, "budget" | "isAlone">,
): RpcEndpoint {
	const requestsPerSecondMax = config.RPC_REQUESTS_PER_SECOND_MAX;
	return {
		// Keys often stand in the path: only the host may be written down.
		name: new URL(url).host,
		open: (observer) =>
			httpRpc({
				...budgeted,
				url,
				timeoutMs: RPC_TIMEOUT_MS,
				isBilled: isBilled(url, config),
				batchMax: config.RPC_BATCH_MAX,
				concurrencyMax: RPC_CONCURRENCY_MAX,
				bodyBytesMax: RPC_BODY_BYTES_MAX,
				pacer: requestsPerSecondMax ? createPacer({ requestsPerSecondMax, clock }) : undefined,
				observer,
			}),
	};
}

/** Returns false for a node on this machine or in its network, unless calls have a price. */
function isBilled(url: string, { CHAIN_RPC_COMPUTE_UNITS_JSON }: CoreConfig): boolean {
	return (
		Object.keys(CHAIN_RPC_COMPUTE_UNITS_JSON).length > 0 || isPublicHost(new URL(url).hostname)
	);
}

/**
 * Returns chains that are reached and perhaps not indexed. A home chain without any endpoint is
 * left out: it is not configured, and what needs it reports it as away.
 */
function othersOf(config: CoreConfig, chains: ChainRegistry): Chain[] {
	const named = Object.keys(config.CHAIN_RPC_URLS_JSON).flatMap((name) => {
		return chains.bySlug(name) ?? [];
	});
	const home = homeChainOf(chains, config);
	const isOpen = home && urlsOf(home, { config, chains }).some(isHttp);
	return isOpen ? [...named, home] : named;
}

/** Returns the calls per second set for an endpoint: by its host, else its chain, else `*`. */
function rateOf(
	url: string,
	chain: Chain,
	rates: CoreConfig["CHAIN_RPC_CALLS_PER_SECOND"],
	chains: ChainRegistry,
): number | null {
	const ofChain = Object.keys(rates).find((name) => chains.bySlug(name)?.id === chain.id) ?? "*";
	return rates[new URL(url).host] ?? rates[ofChain] ?? rates["*"] ?? null;
}
