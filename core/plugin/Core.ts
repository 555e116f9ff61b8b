import type { Audit } from "#core/audit/createAudit.ts";
import type { Budget } from "#core/budget/Budget.ts";
import type { Bus } from "#core/bus.ts";
import type { PageCache } from "#core/cache.ts";
import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import type { SocketCallListener } from "#core/chain/heads/openHeadSocket.ts";
import type { Rpc, RpcPurpose } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { ForeignFetch } from "#core/foreign/createForeignFetch.ts";
import type { LeaseKeeper } from "#core/lease.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Operators } from "#core/operators.ts";
import type { Outbox } from "#core/outbox.ts";
import type { JobQueue } from "#core/queue.ts";
import type { StepObserver } from "#core/steps.ts";

/** `all` does everything in one process; `api` answers, `worker` indexes and runs jobs. */
export type Role = "all" | "api" | "worker";

/** Holds one chain that this deployment indexes or reaches, and its clients. */
export type ChainAccess = {
	chain: Chain;
	/** Returns the chain's client for a purpose: calls are counted, and take turns, by purpose. */
	rpcFor(purpose: RpcPurpose): Rpc;
	/** Counts what went over a socket, which the nodes bill as well. */
	onSocketCall?: SocketCallListener | undefined;
	/** WebSocket endpoints for new heads; empty where only polling is possible. */
	headUrls: readonly string[];
	/** The number of endpoints that have to agree on what is new (`RPC_QUORUM`); unset: one. */
	quorum?: number | undefined;
};

/** The runtime as plugins see it: everything that comes from outside comes through here. */
export type Core = {
	role: Role;
	/** This process's name among its peers, new at each start: the holder of leases. */
	holder: string;
	/** The name of its database connections: if none is left, the process is gone. */
	session: string;
	clock: Clock;
	log: Log;
	db: Database;
	bus: Bus;
	outbox: Outbox;
	queue: JobQueue;
	leases: LeaseKeeper;
	pageCache: PageCache;
	/** Limits what all processes together ask of another company's service. */
	budget: Budget;
	/** The only way to a URL that a stranger chose. */
	foreignFetch: ForeignFetch;
	metrics: Metrics;
	/** Records what operators, or users for themselves, change. */
	audit: Audit;
	/** Decides who may change what belongs to the deployment. */
	operators: Operators;
	/** Every chain there is a definition for. */
	chains: ChainRegistry;
	/** The chains of `CHAINS`, in its order. */
	indexed: readonly ChainAccess[];
	/**
	 * The indexed chains, those that `CHAIN_RPC_URLS_JSON` names beside them, and the home chain:
	 * where money moves and prices are read. One without a lane is connected to when it is first
	 * asked.
	 */
	reached: readonly ChainAccess[];
	/** Told before and after each step of what moves money; null but in tests that kill there. */
	observeSteps: StepObserver | null;
	/** Browser origins that may call, beside the service's own. */
	allowedOrigins: readonly string[];
};
