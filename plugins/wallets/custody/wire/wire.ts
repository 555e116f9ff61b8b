import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import {
	ACCOUNTS_PER_USER_MAX,
	KEYS_PER_QUORUM_MAX,
	NAME_LENGTH_MAX,
	SIGNERS_PER_WALLET_MAX,
	TRANSACTIONS_PER_ANSWER_MAX,
} from "#plugins/wallets/custody/limits.ts";

function lowerHex(pattern: RegExp) {
	return z
		.custom<Hex>((value) => typeof value === "string" && pattern.test(value))
		.transform(lower);
}

function lower(value: Hex): Hex {
	return `0x${value.slice(2).toLowerCase()}`;
}

const name = z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${NAME_LENGTH_MAX}}$`));
const address: z.ZodType<Address> = lowerHex(/^0x[0-9a-fA-F]{40}$/);
const hash = lowerHex(/^0x[0-9a-fA-F]{64}$/);
const signature = lowerHex(/^0x[0-9a-fA-F]{130}$/);

/** Everything that is read of the provider's answers. */
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
