// Declares what the plugin offers: its service, the path that money leaves by, the book of tokens.

import type { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Period } from "#core/period.ts";
import type { Caller } from "#core/plugin/Tool.ts";
import type { IntentKind } from "#plugins/wallets/IntentKind.ts";
import type { IntentStatus } from "#plugins/wallets/intent/Intent.ts";
import type { IntentError } from "#plugins/wallets/intent/intentError.ts";
import type { Channel, Intent, Plan, Profile, Wallet } from "#plugins/wallets/model.ts";

export type Wallets = {
	/** Returns who is signed in. Throws `unauthorized` (401) without a valid session or token. */
	authenticate(request: Request): Promise<Principal>;
	profileOfSocial(socialUserId: string): Promise<Profile | null>;
	/** Returns the profile of the deployment's own wallet, to which no user signs in. */
	deploymentProfile(wanted: { providerWalletId: string; signal: AbortSignal }): Promise<Profile>;
	/**
	 * Returns the current profile of a tool's caller. Throws `unauthorized` (401) where there is
	 * none. It has no time of sign-in: actions that need a recent one have a route.
	 */
	principalOf(caller: Caller): Promise<Principal>;
	execution: Execution;
	/**
	 * Runs a request that can move money, once for each `idempotency-key`: the same key and body is
	 * answered with the first answer's bytes, another body is `idempotency_conflict` (409), one under
	 * way `request_running` (409 with `Retry-After`). The key is taken in the transaction that makes
	 * the intents; whoever takes over from a process that died answers for the same intents.
	 */
	once(request: OnceRequest): Promise<Response>;
	/**
	 * Cancels an intent of a profile's for its owner, as `Execution.cancel` does. Where only their
	 * own wallet can, nothing is done yet, and `cancelUrl` is a one-time link by which it does.
	 */
	cancel(
		intentId: string,
		by: { profile: Profile; signal: AbortSignal },
	): Promise<{ intent: Intent; cancelUrl: string | null }>;
	/**
	 * Throws `origin_not_allowed` (403) where a program prepared what waits for its owner's yes,
	 * unless a page of ours asks: a program with its owner's token for our tools is not its owner.
	 */
	requireOwnPage(request: Request, asked: Pick<Intent, "channel" | "status">): void;
	/** A one-time link by which the intent's owner confirms, or signs with their own wallet. */
	link(intent: Intent, purpose: "confirm" | "sign"): Promise<{ url: string; expiresAtMs: number }>;
};

/** Holds who makes a request: a profile, by its session or the wallet provider's access token. */
export type Principal = {
	profile: Profile;
	sessionId: string | null;
	/** The time of their sign-in; without it, it is unknown, and so not recent. */
	signedInAtMs?: number | undefined;
};

/**
 * The one path that money leaves by.
 *
 * `create` records an intent; `advance` takes it as far as it goes without its owner: to
 * `rejected`, to a question, to `submitted`, to `uncertain`. Both may be called again at any time
 * by anybody: an intent is sent at most once.
 */
export type Execution = {
	register<Request>(kind: IntentKind<Request>): void;
	/**
	 * Reads what registries know about tokens, and about contracts from which tokens cannot be
	 * recovered.
	 */
	tokens: TokenBook;
	/** In the caller's transaction: what it records beside it is there with it or not at all. */
	create(tx: Tx, intents: readonly NewIntent[]): Promise<Intent[]>;
	/** Batches are judged as a whole: one that is denied denies all, and nothing is sent. */
	advance(
		intentIds: readonly string[],
		signal: AbortSignal,
		/**
		 * The intents that `once` has just recorded: they are not read again before they are judged.
		 */
		recorded?: Recorded | null,
	): Promise<Intent[]>;
	/** The owner agreed to the plan of this hash; any other plan is asked about anew. */
	approve(intentId: string, planHash: Hex): Promise<Intent>;
	/**
	 * The owner's own wallet sent it. The chain decides whether that is so. `early`: it did not wait
	 * for the step before, and this is the plan that the caller has seen on chain as what it sent.
	 */
	signed(intentId: string, transactionHash: Hex, early?: Plan): Promise<Intent>;
	/**
	 * Cancels an intent, for its owner (`profile:<id>`) or an operator (`operator:<name>`). If it was
	 * not sent, it ends at once. If it was or may have been sent, its nonce is used by another
	 * transaction, and its status stays until that is final: `cancellation` shows the progress.
	 * Throws `cancel_not_ours` where only the owner's wallet can cancel: `Wallets.cancel` asks for
	 * that.
	 */
	cancel(intentId: string, by: Omit<CancelAsked, "intentId">): Promise<Intent>;
	read(intentId: string, profileId: string): Promise<Intent | null>;
	/**
	 * Returns what a wallet signed for an intent; null: nothing. A signature may be enough to spend.
	 */
	signatureOf(intentId: string): Promise<Hex | null>;
	/** Returns the intent to ask for links with: itself, or where it is `waiting` the step before. */
	asking(intent: Intent): Promise<Intent>;
	/**
	 * Returns the status of intents, and what the spend ledger holds for each, in base units:
	 * reserved or spent, and not released. A release that a reorg took back counts again. Runs in the
	 * caller's transaction; unknown ids are left out.
	 */
	held(tx: Queryable, intentIds: readonly string[]): Promise<Held[]>;
	list(
		profileId: string,
		page: {
			kinds?: readonly string[];
			/** Limits the answer to intents that were asked for in this period. */
			period?: Period;
			limit: number;
			cursor?: string | undefined;
		},
	): Promise<{ items: Intent[]; nextCursor: string | null }>;
};

export type NewIntent = {
	kind: string;
	profile: Profile;
	/** Null: the profile has none to use. It is kept, and rejected with `no_executable_wallet`. */
	wallet: Wallet | null;
	chainId: number;
	channel: Channel;
	request: unknown;
	batchId?: string;
	/**
	 * True: the owner is asked by a link before anything is sent, also where their profile asks for
	 * no confirmation. For what a program or a model proposes in their name. Left out: false.
	 */
	asks?: boolean;
	/** The index, in the same `create`, of the intent that this one waits for (`waiting`). */
	after?: number;
};

export type CancelAsked = {
	intentId: string;
	/** Who did it, for the audit log: `profile:<id>` or `operator:<name>`. */
	actor: string;
	/** Leaves what was sent, or may have been, as it is: throws `intent_state` (409) then. */
	isUnsentOnly?: boolean | undefined;
	signal: AbortSignal;
};

/** Intents as they were recorded a moment ago, and whose they are, as they signed in. */
export type Recorded = { intents: readonly Intent[]; profile: Profile };

/**
 * Holds how much of its owner's money an intent reserved or spent. A `failed` one may have spent.
 */
export type Held = {
	intentId: string;
	status: IntentStatus;
	errorCode: string | null;
	/** The whole error of the intent, as its owner sees it. */
	error: IntentError | null;
	/** The transaction that it was sent as, if one is known. */
	transactionHash: Hex | null;
	raw: bigint;
};

export type OnceRequest = {
	principal: Principal;
	/** Method and path, such as `POST /v1/trading/wallet-transfers`. */
	route: string;
	/** As sent; null where there is none. */
	idempotencyKey: string | null;
	/** The body as it was parsed: what makes two requests the same. */
	body: unknown;
	/**
	 * The intents to record, all of the principal's. Checks without calls come before. May be empty
	 * where there is a `record`.
	 */
	intents: readonly NewIntent[];
	/**
	 * Writes a row of the plugin's own under this id, in the transaction that takes the key: it is
	 * there with its key or not at all. May run again for the same id where that transaction was
	 * rolled back. It throws Faults to refuse; then nothing is recorded.
	 */
	record?(tx: Tx, recordId: string): Promise<void>;
	/** Makes the answer from the recorded intents. It may run again for the same intents. */
	answer(
		intentIds: readonly string[],
		/** What this request has recorded; null where an earlier request had recorded it. */
		recorded: Recorded | null,
		/** The id of the row that `record` wrote, also where an earlier request had; else null. */
		recordId: string | null,
	): Promise<{ status: number; body: unknown }>;
};

/**
 * Something that operators change while the service runs, by
 * `PUT /v1/admin/trading/settings/:key`. It is read in the transaction that reserves, so it counts
 * from the answer on, in every process.
 */
export type TradingSetting = {
	/** The form of its keys, as displayed to people: `kill:chain:<id>`. */
	shown: string;
	/** Matches a whole key. Its first group is what the key names. */
	key: RegExp;
	/** Parses a value; the result is stored as JSON. */
	schema: z.ZodType;
	description: string;
	/** Returns why nothing exists by the name in a key, as a sentence; null: it exists. */
	flaw?(db: Queryable, named: string): Promise<string | null>;
};

/** A contract on a chain. */
export type TokenPlace = { chainId: number; address: Address };

/**
 * Holds the price of one token. `unsure`: no trusted source has it now, and this is the highest of
 * all sources; the owner is asked, for at most so many microdollars.
 */
export type TokenPrice =
	| { kind: "sure"; microsPerUnit: bigint }
	| { kind: "unsure"; microsPerUnit: bigint; askedMicrosMax: bigint };

/** Reads what a registry knows of one chain. Throws what cannot be read: that is not a no. */
export type TokenSource = {
	chainId: number;
	/** Returns the token's symbol; null where the registry does not have the token. */
	symbolOf(token: Address): Promise<string | null>;
	/** Microdollars of one whole token; null: nothing says what it is worth. */
	priceOf(token: Address): Promise<TokenPrice | null>;
	/**
	 * Returns what a contract is from which tokens cannot be recovered, for a sentence; null: it is
	 * none.
	 */
	contractNamed(address: Address): Promise<string | null>;
};

/**
 * Says, for a sentence, what an address is that nobody gets money out of; null: it knows none.
 * Throws what cannot be read: that is not a no.
 */
type ContractSource = (place: TokenPlace) => Promise<string | null>;

/** Answers from all registered sources; null where none of them knows. */
export type TokenBook = {
	register(source: TokenSource): void;
	/** Adds a source that knows contracts of any chain, and no tokens. */
	registerContracts(source: ContractSource): void;
	symbolOf(token: TokenPlace): Promise<string | null>;
	priceOf(token: TokenPlace): Promise<TokenPrice | null>;
	contractNamed(place: TokenPlace): Promise<string | null>;
};

/** Makes a book without sources: it knows nothing. The first that knows an address is believed. */
export function createTokenBook(): TokenBook {
	const sources: TokenSource[] = [];
	const contracts: ContractSource[] = [];
	async function ask<Answer>(
		{ chainId }: TokenPlace,
		of: (source: TokenSource) => Promise<Answer | null>,
	): Promise<Answer | null> {
		for (const source of sources) {
			const answer = source.chainId === chainId ? await of(source) : null;
			if (answer !== null) return answer;
		}
		return null;
	}
	return {
		register: (source) => void sources.push(source),
		registerContracts: (source) => void contracts.push(source),
		symbolOf: (token) => ask(token, (source) => source.symbolOf(token.address)),
		priceOf: (token) => ask(token, (source) => source.priceOf(token.address)),
		async contractNamed(place) {
			for (const source of contracts) {
				const named = await source(place);
				if (named !== null) return named;
			}
			return await ask(place, (source) => source.contractNamed(place.address));
		},
	};
}
