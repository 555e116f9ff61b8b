// Holds what the wallet provider's routes share: signatures, statuses, renderings.

import { type KeyObject, verify } from "node:crypto";
import type { Hex } from "viem";
import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import type { Rpc } from "../createRpc.ts";
import type { CustodyStore, StoredTransaction } from "./createCustodyStore.ts";
import type { HeldWallet, People, Person, Tokens } from "./people.ts";

/** A chain that the provider signs for and broadcasts on. */
export type CustodyChain = { id: number; rpc: Rpc };

/** Everything that the provider's routes need. */
export type CustodyOffice = {
	appId: string;
	appSecret: string;
	/** The quorum that holds the service's public key, and that key. */
	quorumId: string;
	quorumKey: KeyObject;
	/** The chain of a transaction that names none. */
	firstChain: CustodyChain;
	/** Returns a chain by CAIP-2; null: the provider does not serve it. */
	chainOf(caip2: string): CustodyChain | null;
	people: People;
	store: CustodyStore;
	tokens: Tokens;
	clock: Clock;
	/** Signed raw transactions, by the provider's id. */
	signed: Map<string, { raw: Hex; isDisowned: boolean }>;
	postbox: Postbox;
	/** Runs work that continues after its caller is gone; it ends before the process does. */
	later(work: (stopped: AbortSignal) => Promise<void>): void;
};

/** One attempt to deliver; `status` is null where there was no answer. */
export type Attempt = {
	id: string;
	type: string;
	transactionId: string;
	status: number | null;
	/** The service's answer. */
	answer: string;
};

export type Postbox = {
	/** WALLET_PROVIDER_WEBHOOK_SECRET */
	secret: string;
	/** Returns where webhooks go; null: nowhere. */
	url(): string | null;
	sendTo(url: string | null): void;
	/** Settles when the event is delivered, or given up. */
	tell(event: string, about: StoredTransaction): Promise<void>;
	/** Returns the attempts, oldest first. */
	attempts(): Attempt[];
};

/** A refusal of the provider, in its own form. */
export class Denial extends Error {
	readonly status: number;
	readonly code: string | undefined;

	constructor(status: number, sentence: string, code?: string) {
		super(sentence);
		this.status = status;
		this.code = code;
	}

	toResponse(): Response {
		const body = { error: this.message, ...(this.code && { code: this.code }) };
		return Response.json(body, { status: this.status });
	}
}

const SIGNED_HEADERS = ["privy-app-id", "privy-idempotency-key", "privy-request-expiry"];

const Receipt = z.object({ status: z.string() }).nullable();

/**
 * Throws unless the service's key signed exactly this request. The canonical text is made by other
 * code than the service's, so that one mistake cannot hide in both.
 */
export function checkSignature(
	request: { method: string; url: string; headers: Headers; body: unknown },
	key: KeyObject,
): void {
	const sent = request.headers.get("privy-authorization-signature") ?? "";
	if (sent === "") {
		const sentence = "Missing `privy-authorization-signature` header";
		throw new Denial(401, sentence, "missing_or_empty_authorization_header");
	}
	const headers = Object.fromEntries(
		SIGNED_HEADERS.flatMap((name) => {
			const value = request.headers.get(name);
			return value === null ? [] : [[name, value]];
		}),
	);
	const { method, url, body } = request;
	const payload = Buffer.from(canonical({ version: 1, method, url, body, headers }));
	const holds = sent.split(",").some((signature) => {
		const bytes = Buffer.from(signature, "base64");
		return verify("sha256", payload, { key, dsaEncoding: "der" }, bytes);
	});
	if (!holds) {
		const sentence = "No valid authorization signatures were provided";
		throw new Denial(401, sentence, "zero_correct_authorization_signatures");
	}
}

/** Renders a user as GET /v1/users/:id does. */
export function renderPerson(person: Person): unknown {
	const { id, subject, username, wallet, external } = person;
	const seen = { verified_at: 1_700_000_000, first_verified_at: 1_700_000_000 };
	const social = subject !== null && {
		type: "twitter_oauth",
		subject,
		username,
		name: username,
		profile_picture_url: null,
		...seen,
		latest_verified_at: 1_700_000_000,
	};
	const embedded = wallet && {
		type: "wallet",
		id: wallet.id,
		address: wallet.address,
		chain_id: "eip155:1",
		chain_type: "ethereum",
		connector_type: "embedded",
		wallet_client: "privy",
		wallet_client_type: "privy",
		delegated: wallet.isDelegated,
		imported: false,
		recovery_method: "privy-v2",
		wallet_index: 0,
		...seen,
	};
	const outside = external !== null && {
		type: "wallet",
		address: external,
		chain_type: "ethereum",
		connector_type: "injected",
		wallet_client: "unknown",
		...seen,
	};
	const accounts = [social, embedded, outside].filter(Boolean);
	return { id, created_at: 1_700_000_000, linked_accounts: accounts, is_guest: false };
}

/**
 * Renders a transaction as the provider does. Its status is read from the chain, because forks
 * change it, except where a fault orders a false status.
 */
export async function renderTransaction(
	office: CustodyOffice,
	transaction: StoredTransaction,
): Promise<unknown> {
	const { id, caip2, hash, walletId, referenceId, createdAtMs, broadcasts } = transaction;
	const claim = office.store.claimOf(id);
	return {
		id,
		caip2,
		created_at: createdAtMs,
		status: claim ? claim.status : await statusOf(office, transaction),
		transaction_hash: claim ? claim.hash : broadcasts > 0 ? hash : null,
		wallet_id: walletId,
		...(referenceId !== null && { reference_id: referenceId }),
	};
}

/**
 * Returns a transaction's status as the provider sees it: after a broadcast the chain decides.
 *
 * A block may come between two calls. So a transaction without a receipt whose nonce is used is
 * read once more: by then the receipt from that block exists.
 */
export async function statusOf(
	office: Pick<CustodyOffice, "chainOf">,
	transaction: StoredTransaction,
): Promise<string> {
	const { status, hash, sender, nonce, broadcasts } = transaction;
	const rpc = office.chainOf(transaction.caip2)?.rpc;
	if (broadcasts === 0 || !rpc) return status;
	const mined = await outcomeOf(rpc, hash);
	if (mined !== null || status !== "broadcasted") return mined ?? status;
	const next = Number(await rpc.call("eth_getTransactionCount", [sender, "latest"]));
	if (next <= nonce) return status;
	return (await outcomeOf(rpc, hash)) ?? "replaced";
}

/** Renders a wallet as GET /v1/wallets/:id does. */
export function renderWallet(wallet: HeldWallet, quorumId: string): unknown {
	return {
		id: wallet.id,
		address: wallet.address,
		chain_type: "ethereum",
		owner_id: `owner${wallet.id}`,
		policy_ids: [],
		additional_signers: wallet.isDelegated
			? [{ signer_id: quorumId, override_policy_ids: [] }]
			: [],
		created_at: 1_700_000_000_000,
		archived_at: wallet.isArchived ? 1_700_000_000_000 : null,
		exported_at: null,
		imported_at: null,
	};
}

function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const members = Object.entries(value).map(([name, inner]) => ({ name, inner }));
	members.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
	return `{${members.map(({ name, inner }) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}

/** Returns the status from its receipt; null while there is none. */
async function outcomeOf(rpc: Rpc, hash: string): Promise<string | null> {
	const receipt = Receipt.parse(await rpc.call("eth_getTransactionReceipt", [hash]));
	if (!receipt) return null;
	return receipt.status === "0x1" ? "confirmed" : "execution_reverted";
}
