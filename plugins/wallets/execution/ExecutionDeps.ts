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

/** What this process knows of its own looks at submissions. */
type LookState = {
	/** Ids of those that it looks at now. */
	readonly underWay: Set<string>;
	readonly troubles: ChainTroubles;
	/** Chains whose new blocks it searches for what was sent. */
	readonly followed: Set<number>;
};

/** Runs over nonce queues, one at a time for each queue of this process. */
export type QueueRuns = {
	/** Runs now, or once the run that is under way is over. Done when that run is. */
	run(queue: string, act: () => Promise<QueueRunEnd>): Promise<void>;
	/** Whether somebody is or was at this queue and left it to whoever is handing over. */
	isWaited(queue: string): boolean;
};

/** What a run over a nonce queue ended with: `sending`: somebody else hands something over now. */
export type QueueRunEnd = "empty" | "sending" | "waiting";

/**
 * Every commit and every outbound call of the path that money leaves by. A call that is not in this
 * list does not compile, and a test kills the process before and after each of them.
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
