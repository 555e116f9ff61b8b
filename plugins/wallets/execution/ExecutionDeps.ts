// Declares everything that the path that money leaves by can touch, and the names of its steps.

import type { Audit } from "#core/audit/createAudit.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Commits } from "#core/db/createCommits.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import type { Steps } from "#core/steps.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ChainTroubles } from "#plugins/wallets/chain/readAccount.ts";
import type { IntentKind } from "#plugins/wallets/IntentKind.ts";
import type { Profile } from "#plugins/wallets/model.ts";
import type { IntentQuota } from "#plugins/wallets/quota.ts";
import type { DefaultLimits } from "#plugins/wallets/spend/spend.ts";
import type { NonceClaims } from "#plugins/wallets/submission/nonceQueue.ts";

/** Everything the path that money leaves by can touch. */
export type ExecutionDeps = {
	db: Database;
	commits: Commits;
	clock: Clock;
	log: Log;
	/** The name of this process and of its database connections. */
	holder: string;
	session: string;
	custody: Custody;
	prices: Prices;
	rpcOf(chainId: number): Rpc | null;
	kindOf(name: string): IntentKind<unknown> | null;
	steps: Steps<StepName>;
	/** Outbound calls of kinds, which have steps of their own. */
	kindSteps: Steps<string>;
	/** Returns a profile with the wallets that are not removed. */
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
	/** Limits the network fee of a transaction in microdollars, whatever a node suggests. */
	networkFeeUsdMicros: bigint;
	/**
	 * Limits how long a request to the wallet provider may take, and until when the provider may act
	 * on it.
	 */
	sendTimeoutMs: number;
	/** Blocks on top of a receipt after which it is final and not looked up again. */
	finalDepthBlocks: number;
	quota: IntentQuota;
	/** Destinations that may be paid or called; empty: all. */
	destinations: ReadonlySet<Address>;
	slowAfter: SlowAfter;
};

/**
 * Limits, by chain, how long a sent transaction waits for its block before operators see it as
 * slow.
 */
export type SlowAfter = { defaultMs: number; byChain: ReadonlyMap<number, number> };

/** Holds which submissions this process is looking up. */
type LookState = {
	/** Ids of the submissions that it is looking up now. */
	readonly underWay: Set<string>;
	readonly troubles: ChainTroubles;
	/** Chains whose new blocks it searches for what was sent. */
	readonly followed: Set<number>;
};

/** Runs over nonce queues, one at a time for each queue of this process. */
export type QueueRuns = {
	/**
	 * Runs `act` now, or once the current run of the queue is over. Resolves when that run is done.
	 */
	run(queue: string, act: () => Promise<QueueRunEnd>): Promise<void>;
	/**
	 * Returns whether a caller waits or waited at this queue and left the work to the current run.
	 */
	isWaited(queue: string): boolean;
};

/**
 * Names how a run over a nonce queue ended. `sending`: another process is handing a transaction
 * over now.
 */
export type QueueRunEnd = "empty" | "sending" | "waiting";

/**
 * Names every commit and every outbound call of the path by which money leaves. A call that is not
 * in this list does not compile, and a test kills the process before and after each of them.
 */
export const stepNames = [
	"commit.create",
	"commit.decide",
	"commit.first",
	"commit.resume",
	"commit.begin",
	"commit.outcome",
	"commit.look",
	"commit.found",
	"commit.close",
	"commit.owner",
	"commit.cancel",
	"commit.answer",
	"commit.link",
	"rpc.account",
	"rpc.receipt",
	"rpc.nonce",
	"rpc.rebroadcast",
	"custody.send",
	"custody.lookup",
] as const;

/** Names the steps of an intent that is a signature. */
export const signSteps = ["custody.sign", "commit.sign"] as const;

export type StepName = (typeof stepNames)[number] | (typeof signSteps)[number];
