// Calls the wallet provider by name, and reads transactions and users out of its answers.

import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { Fault } from "#core/fault.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import {
	type Caller,
	createFailureLog,
	type ProviderAnswer,
	type ProviderCall,
	refusalCode,
} from "#plugins/custody/caller.ts";
import type { CustodyTrace, CustodyUser, LinkedAccount } from "#plugins/custody/contract.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import {
	ACCOUNTS_PER_USER_MAX,
	KEYS_PER_QUORUM_MAX,
	NAME_LENGTH_MAX,
	SIGNERS_PER_WALLET_MAX,
	TRANSACTIONS_PER_ANSWER_MAX,
	USERNAME_LENGTH_MAX,
} from "#plugins/custody/limits.ts";

/** Names a call: `endpoint` is its name in metrics and in the log. */
export type NamedCall = Omit<ProviderCall, "url"> & { endpoint: string; path: string };

export type ProviderClient = {
	/** Returns the full URL of a path, as it is signed. */
	urlOf(path: string): string;
	/** Makes a call, and returns and counts what `outcomeOf` makes of its answer. */
	ask<Outcome extends { kind: string; detail?: string }>(
		call: NamedCall,
		outcomeOf: (answer: ProviderAnswer) => Outcome,
	): Promise<Outcome>;
	/** Returns what an answer holds; null: the provider knows no such thing. Else throws a Fault. */
	read(call: NamedCall): Promise<{ json: unknown } | null>;
	/** Returns the Fault for an answer that is not what its schema says. */
	unreadable(endpoint: string): Fault;
};

/** `kind` is a label of metrics: `read`, `not_found`, or the fault's code. */
type Reading = { kind: string; json?: unknown; fault?: Fault; detail?: string };

const STATUSES: ReadonlyMap<string, CustodyTrace["status"]> = new Map(
	(
		[
			"pending",
			"broadcasted",
			"confirmed",
			"execution_reverted",
			"failed",
			"replaced",
			"finalized",
			"provider_error",
		] as const
	).map((status) => [status, status]),
);

const name = z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${NAME_LENGTH_MAX}}$`));
const address = anyCaseAddressSchema;
const hash = anyCaseWordSchema;
const signature = z
	.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]{130}$/.test(value))
	.transform((value): Hex => `0x${value.slice(2).toLowerCase()}`);

/** Parses each of the provider's answers; members that are not listed are not read. */
export const wire = {
	sent: z.object({
		method: z.literal("eth_sendTransaction"),
		data: z.object({
			hash,
			caip2: z.string(),
			transaction_id: name.nullish(),
			reference_id: z.string().nullish(),
		}),
	}),
	signature: z.object({ data: z.object({ signature, encoding: z.literal("hex") }) }),
	transaction: z.object({
		id: name,
		status: z.string(),
		transaction_hash: hash.nullish(),
		reference_id: z.string().nullish(),
	}),
	transactions: z.object({ transactions: z.array(z.unknown()).max(TRANSACTIONS_PER_ANSWER_MAX) }),
	user: z.object({
		id: name,
		linked_accounts: z.array(z.unknown()).max(ACCOUNTS_PER_USER_MAX),
	}),
	socialAccount: z.object({
		type: z.literal("twitter_oauth"),
		subject: name,
		username: z.string().nullish().catch(null),
	}),
	walletAccount: z.object({
		type: z.literal("wallet"),
		chain_type: z.literal("ethereum").optional(),
		address,
		id: name.nullish(),
		wallet_client: z.string().nullish().catch(null),
	}),
	wallet: z.object({
		id: name,
		address,
		chain_type: z.literal("ethereum"),
		owner_id: name.nullish(),
		additional_signers: z
			.array(z.object({ signer_id: name }))
			.max(SIGNERS_PER_WALLET_MAX)
			.nullish(),
		authorization_threshold: z.int().nullish(),
		archived_at: z.unknown(),
	}),
	quorum: z.object({
		id: name,
		authorization_threshold: z.int().nullish(),
		authorization_keys: z.array(z.object({ public_key: z.string() })).max(KEYS_PER_QUORUM_MAX),
	}),
	name,
};

const BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Reads what the provider says of one transaction; null: it cannot be read. A status that we do not
 * know is `unknown`, and proves nothing.
 */
export function readTrace(json: unknown): CustodyTrace | null {
	const { data } = wire.transaction.safeParse(json);
	if (data === undefined) return null;
	return {
		transactionId: data.id,
		referenceId: data.reference_id ?? null,
		status: STATUSES.get(data.status) ?? "unknown",
		transactionHash: data.transaction_hash ?? null,
	};
}

/**
 * Reads the one transaction of a reference. Null only where the provider lists none at all. A list
 * in which none is ours, one cannot be read, or two claim the same reference, is `unreadable`,
 * because "it was never sent" must not be concluded from nonsense. The same row twice is one.
 */
export function readTraces(json: unknown, referenceId: string): CustodyTrace | null | "unreadable" {
	const { data } = wire.transactions.safeParse(json);
	if (data === undefined) return "unreadable";
	if (data.transactions.length === 0) return null;
	const traces = data.transactions.map(readTrace);
	const ours = traces.filter((trace) => trace?.referenceId === referenceId);
	const [first] = ours;
	if (!first || traces.includes(null)) return "unreadable";
	const isOne = ours.every(
		(trace) =>
			trace?.transactionId === first.transactionId &&
			trace.transactionHash === first.transactionHash,
	);
	return isOne ? first : "unreadable";
}

/**
 * Reads a user and the accounts that matter here; null: it cannot be read. Accounts of other kinds
 * (mail, Solana, passkeys) are left out. A social account goes by its subject: names change hands.
 */
export function readUser(json: unknown): CustodyUser | null {
	const { data } = wire.user.safeParse(json);
	if (data === undefined) return null;
	return { id: data.id, accounts: data.linked_accounts.flatMap((one) => readAccount(one) ?? []) };
}

function readAccount(json: unknown): LinkedAccount | null {
	const social = wire.socialAccount.safeParse(json).data;
	if (social) {
		return { type: "social", subject: social.subject, username: usernameOf(social.username) };
	}
	const wallet = wire.walletAccount.safeParse(json).data;
	if (!wallet) return null;
	// Only the provider's own client holds keys there; an id beside another client is not believed.
	const isHeld = wallet.wallet_client === "privy";
	return {
		type: "wallet",
		address: wallet.address,
		providerWalletId: isHeld ? (wallet.id ?? null) : null,
	};
}

function usernameOf(text: string | null | undefined): string | null {
	return text && new RegExp(`^\\w{1,${USERNAME_LENGTH_MAX}}$`).test(text) ? text : null;
}

/** Makes calls by name: they are counted and timed, and logged where they fail. */
export function createProviderClient(options: {
	baseUrl: string;
	call: Caller;
	core: Pick<Core, "clock" | "log" | "metrics">;
}): ProviderClient {
	const { call, core } = options;
	const base = options.baseUrl.replace(/\/+$/, "");
	const metrics = custodyMetrics(core.metrics);
	const tell = createFailureLog(core);
	const urlOf = (path: string) => `${base}${path}`;

	async function ask<Outcome extends { kind: string; detail?: string }>(
		{ endpoint, path, ...rest }: NamedCall,
		outcomeOf: (answer: ProviderAnswer) => Outcome,
	): Promise<Outcome> {
		const sentAtMs = core.clock.nowMs();
		const outcome = outcomeOf(await call({ ...rest, url: urlOf(path) }));
		metrics.duration.observe({ endpoint }, (core.clock.nowMs() - sentAtMs) / 1_000);
		metrics.calls.inc({ endpoint, outcome: outcome.kind });
		if (outcome.detail !== undefined && !isCalledOff(rest.signal)) tell(endpoint, outcome.detail);
		return outcome;
	}

	return {
		urlOf,
		ask,
		async read(call) {
			const outcome = await ask(call, readingOf);
			if (outcome.fault) throw outcome.fault;
			return outcome.kind === "not_found" ? null : { json: outcome.json };
		},
		unreadable(endpoint) {
			metrics.calls.inc({ endpoint, outcome: "misread" });
			tell(endpoint, "not what its schema says");
			return custodyFault.unreadable({ detail: `${endpoint}: not what its schema says` });
		},
	};
}

/** Makes what an operator sees of the calls to the wallet provider. */
function custodyMetrics(metrics: Metrics) {
	return {
		calls: metrics.counter({
			name: "wallet_provider_calls_total",
			help: "Calls to the wallet provider, by what came of them.",
			labels: ["endpoint", "outcome"],
		}),
		duration: metrics.histogram({
			name: "wallet_provider_call_duration_seconds",
			help: "Time from sending a call to the wallet provider to the end of its answer.",
			labels: ["endpoint"],
			buckets: BUCKETS_S,
		}),
	};
}

/** Says whether the caller left. Who waited until their time ran out did not leave. */
function isCalledOff(signal: AbortSignal | undefined): boolean {
	if (!signal?.aborted) return false;
	const reason: unknown = signal.reason;
	return !(reason instanceof Error && reason.name === "TimeoutError");
}

function readingOf(answer: ProviderAnswer): Reading {
	// Only in the provider's own form: the page of a proxy that lost its way is no "there is none".
	const isMissing = answer.kind === "answer" && answer.status === 404;
	if (isMissing && refusalCode(answer.json) !== null) return { kind: "not_found" };
	const fault = faultOfAnswer(answer);
	if (fault) return { kind: fault.code, fault, detail: fault.privateDetail ?? fault.code };
	return { kind: "read", json: answer.kind === "answer" ? answer.json : undefined };
}

/** Returns what is wrong with an answer to a question; null: it can be read. */
function faultOfAnswer(answer: ProviderAnswer): Fault | null {
	if (answer.kind === "silent") return custodyFault.unavailable({ detail: answer.detail });
	const { status } = answer;
	const isForm = answer.kind === "answer" && refusalCode(answer.json) !== null;
	if (status === 429) {
		const members = { provider: "wallet-provider" };
		return custodyFault.rateLimited({ detail: `HTTP ${status}`, members });
	}
	if (status >= 500 || status === 408)
		return custodyFault.unavailable({ detail: `HTTP ${status}` });
	if (answer.kind === "unreadable") {
		return custodyFault.unreadable({ detail: `HTTP ${status}: ${answer.detail}` });
	}
	if (status >= 200 && status < 300) return null;
	if (!isForm) return custodyFault.unreadable({ detail: `HTTP ${status}: an odd refusal` });
	return custodyFault.refused({ detail: `HTTP ${status}: ${refusalCode(answer.json)}` });
}
