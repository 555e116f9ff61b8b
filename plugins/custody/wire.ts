// Describes the wallet provider's answers, and reads transactions and users out of them.

import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { CustodyTrace, CustodyUser, LinkedAccount } from "#plugins/custody/contract.ts";
import {
	ACCOUNTS_PER_USER_MAX,
	KEYS_PER_QUORUM_MAX,
	NAME_LENGTH_MAX,
	SIGNERS_PER_WALLET_MAX,
	TRANSACTIONS_PER_ANSWER_MAX,
	USERNAME_LENGTH_MAX,
} from "#plugins/custody/limits.ts";

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

/** Says what each of the provider's answers has to look like; nothing else of them is read. */
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
