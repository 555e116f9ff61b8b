import type { Audit } from "#core/audit/Audit.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Commits } from "#core/db/commits/Commits.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import type { Steps } from "#core/steps/Steps.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ChainTroubles } from "#plugins/wallets/chain/createChainTroubles.ts";
import type { IntentKind, Profile } from "#plugins/wallets/contract.ts";
import type { QueueRuns } from "#plugins/wallets/execution/createQueueRuns.ts";
import type { StepName } from "#plugins/wallets/execution/stepNames.ts";
import type { IntentQuota } from "#plugins/wallets/quota/quotaSql.ts";
import type { DefaultLimits } from "#plugins/wallets/spend/limitsInForce.ts";
import type { NonceClaims } from "#plugins/wallets/submission/createNonceClaims.ts";

/** What this process knows of its own looks at submissions. */
type LookState = {
	/** Ids of those that it looks at now. */
	readonly underWay: Set<string>;
	readonly troubles: ChainTroubles;
	/** Chains whose new blocks it searches for what was sent. */
	readonly followed: Set<number>;
};

/** Everything the path that money leaves by can touch. */
export type ExecutionDeps = {
	db: Database;
	commits: Commits;
	clock: Clock;
	log: Log;
	/** This process, and what its connections are called. */
	holder: string;
	session: string;
	custody: Custody;
	prices: Prices;
	rpcOf(chainId: number): Rpc | null;
	kindOf(name: string): IntentKind<unknown> | null;
	steps: Steps<StepName>;
	/** Outbound calls of kinds, which have steps of their own. */
	kindSteps: Steps<string>;
	/** With the wallets that are not removed. */
	profileOf(db: Queryable, profileId: string): Promise<Profile | null>;
	newId(): string;
	nonceClaims: NonceClaims;
	/** Wallets whose nonce queues this process works on. */
	queueRuns: QueueRuns;
	looks: LookState;
	audit: Audit;
	settings: ExecutionSettings;
};

export type ExecutionSettings = {
	isDryRun: boolean;
	limits: DefaultLimits;
	/** Microdollars that a transaction may offer the network, whatever a node asks for. */
	networkFeeUsdMicros: bigint;
	/** How long a request to the wallet provider may take, and how long it may be acted on. */
	sendTimeoutMs: number;
	/** Blocks on top of a receipt after which nobody looks again. */
	finalDepthBlocks: number;
	quota: IntentQuota;
	/** Destinations that may be paid or called; empty: all. */
	destinations: ReadonlySet<Address>;
	slowAfter: SlowAfter;
};

/** For how long what was sent waits for its block before operators are shown it, by chain. */
export type SlowAfter = { defaultMs: number; byChain: ReadonlyMap<number, number> };
