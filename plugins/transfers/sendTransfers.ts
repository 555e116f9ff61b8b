// Checks a request for transfers, and records and sends what it asks for.

import { isAddress as isChecksummed } from "viem";
import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import { type Currency, parseAmount } from "#core/money.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import { type Coin, coinNamed, readCoin } from "#plugins/transfers/sendToken.ts";
import {
	ADVANCE_TIMEOUT_MS,
	COIN_TIMEOUT_MS,
	ISSUES_MAX,
	RESERVED_ADDRESSES,
	TRANSFER,
} from "#plugins/transfers/transferKind.ts";
import { linksOf, renderTransfer } from "#plugins/transfers/transferSchema.ts";
import type {
	Channel,
	Intent,
	Principal,
	Profile,
	Recorded,
	TokenBook,
	Wallet,
	Wallets,
} from "#plugins/wallets/contract.ts";

/** Holds what the routes of wallet transfers need. */
export type TransfersContext = {
	wallets: Wallets;
	log: Log;
	chains: KnownChains;
	/** Returns null where the chain is not served here. */
	rpcOf(chainId: number): Rpc | null;
	newId(): string;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

export type TransfersBody = {
	fromWalletId: string;
	recipients: readonly string[];
	amount: string;
	/** ETH, or a token's contract. */
	currency?: string | undefined;
	chain?: string | undefined;
};

/** The sending wallet, and the chain. */
export type Place = { wallet: Wallet; chain: Chain };

export type CheckedTransfers = {
	wallet: Wallet;
	chainId: number;
	recipients: readonly Address[];
	/** The amount for each recipient, in base units. */
	amountRaw: bigint;
};

export type KnownChains = {
	bySlug(text: string): Chain | undefined;
	byId(id: number): Chain | undefined;
	isServed(chainId: number): boolean;
};

export type TransfersAsked = {
	principal: Principal;
	body: TransfersBody;
	/** Names the request together with its key. */
	route: string;
	/** The tool that asks; absent for a route. */
	tool?: string;
	idempotencyKey: string | null;
	channel: Channel;
	/** True: the owner must approve by a link first, whatever their profile's settings are. */
	asks: boolean;
	/** Called once the body is valid, before anything is recorded. */
	checked?(): void;
};

type Issue = { path: string; message: string };

type Asked = { ids: readonly string[]; recorded: Recorded | null };

const uuid = z.uuid();

/**
 * Sends the amount to each recipient, once per key, and answers 202 with the transfers. Throws
 * Faults for an invalid body; then nothing was recorded.
 */
export async function sendTransfers(
	context: TransfersContext,
	asked: TransfersAsked,
): Promise<Response> {
	const { principal, body, route, tool, idempotencyKey, channel, asks } = asked;
	const { profile } = principal;
	const { wallets, chains } = context;
	const place = placeOf(body, { profile, chains });
	const coin = await coinOf(context, { body, place });
	const { wallet, chainId, amountRaw, recipients } = checkTransfers(body, { ...place, coin });
	await refuseContracts(wallets.execution.tokens, { chainId, recipients });
	const togetherRaw = String(amountRaw * BigInt(recipients.length));
	asked.checked?.();
	const batchId = context.newId();
	return await wallets.once({
		...{ principal, route, idempotencyKey, body: tool === undefined ? body : { tool, ...body } },
		intents: recipients.map((recipient) => ({
			kind: TRANSFER,
			...{ profile, wallet, chainId, channel, batchId, asks },
			request: { recipient, amountRaw: String(amountRaw), ...(coin && { coin, togetherRaw }) },
		})),
		answer: (ids, recorded) => answer(context, { principal, ids, recorded }),
	});
}

/** Returns the wallet and the chain that a request names. Throws Faults where there is none. */
export function placeOf(
	body: Pick<TransfersBody, "fromWalletId" | "chain" | "currency">,
	{ profile, chains }: { profile: Profile; chains: KnownChains },
): Place {
	const wallet = profile.wallets.find(({ id }) => id === body.fromWalletId);
	if (!wallet) throw transfersFault.walletNotFound();
	const isCoin = coinNamed(body.currency) === null;
	const chain = chainOf(body.chain, { wallet, chains, isCoin });
	if ("message" in chain) throw invalid([chain]);
	return { wallet, chain };
}

/**
 * Checks a request without any call, and throws one Fault with everything that is wrong. Nothing is
 * stored yet, so nothing has to be undone.
 */
export function checkTransfers(
	body: TransfersBody,
	{ wallet, chain, coin }: Place & { coin: Coin | null },
): CheckedTransfers {
	const issues: Issue[] = [];
	const amountRaw = amountOf(body.amount, coin ?? chain.nativeCurrency);
	if (typeof amountRaw === "string") issues.push({ path: "amount", message: amountRaw });
	const recipients = new Map<Address, number>();
	for (const [index, text] of body.recipients.entries()) {
		const path = `recipients.${index}`;
		const flaw = addressFlaw(text, { wallet, chain, coin });
		const address: Address = `0x${text.slice(2).toLowerCase()}`;
		const twin = recipients.get(address);
		if (flaw) issues.push({ path, message: flaw });
		else if (twin !== undefined) {
			issues.push({ path, message: `is the same as recipients.${twin}` });
		} else recipients.set(address, index);
	}
	if (typeof amountRaw === "string" || issues.length > 0) throw invalid(issues);
	return { wallet, chainId: chain.id, recipients: [...recipients.keys()], amountRaw };
}

/**
 * Refuses contracts that the registry knows, and from which tokens cannot be recovered: tokens,
 * pools, routers and quoters. Other contracts, such as smart wallets, are paid.
 */
async function refuseContracts(
	tokens: Pick<TokenBook, "contractNamed">,
	{ chainId, recipients }: { chainId: number; recipients: readonly Address[] },
): Promise<void> {
	const issues: Issue[] = [];
	for (const [index, address] of recipients.entries()) {
		const named = await tokens.contractNamed({ chainId, address });
		const message = `is ${named}: nobody can get out what is sent there`;
		if (named !== null) issues.push({ path: `recipients.${index}`, message });
	}
	if (issues.length > 0) throw invalid(issues);
}

/** Returns a transfer of a profile. Throws `not_found` for every other id, existing or not. */
export async function ownTransfer(
	wallets: Pick<Wallets, "execution">,
	{ id, profileId }: { id: string; profileId: string },
): Promise<Intent> {
	const isId = uuid.safeParse(id).success;
	const intent = isId ? await wallets.execution.read(id, profileId) : null;
	if (intent?.kind !== TRANSFER) throw transfersFault.notFound();
	return intent;
}

/** Returns the token that is sent; null: the chain's own coin. */
async function coinOf(
	{ rpcOf, wallets, ending }: TransfersContext,
	{ body, place }: { body: TransfersBody; place: Place },
): Promise<Coin | null> {
	const address = coinNamed(body.currency);
	if (address === null) return null;
	const { chain } = place;
	const rpc = rpcOf(chain.id);
	if (!rpc) throw transfersFault.chainUnavailable();
	const signal = AbortSignal.any([ending, AbortSignal.timeout(COIN_TIMEOUT_MS)]);
	const { tokens } = wallets.execution;
	return await readCoin({ rpc, tokens }, { address, chain, signal });
}

async function answer(
	context: TransfersContext,
	{ principal, ids, recorded }: Asked & { principal: Principal },
): Promise<{ status: number; body: unknown }> {
	const { wallets, chains } = context;
	const { profile } = principal;
	const intents = await goOn(context, { profile, ids, recorded });
	const urls = await linksOf(wallets, intents);
	const transfers = intents.map((intent) => {
		const questionUrl = urls.get(intent.id);
		return renderTransfer(intent, { profile, chainOf: chains.byId, questionUrl });
	});
	return { status: 202, body: { transfers } };
}

/**
 * Continues the transfers, and returns their intents. If that fails now, they are returned as they
 * are and the service retries later: an error would make the sender send them once more.
 */
async function goOn(
	{ wallets, ending, log }: TransfersContext,
	{ profile, ids, recorded }: Asked & { profile: Profile },
): Promise<Intent[]> {
	const { execution } = wallets;
	try {
		const signal = AbortSignal.any([ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
		return await execution.advance(ids, signal, recorded);
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		log[level]("wallet transfers could not be taken further now", { error });
		const read = await Promise.all(ids.map((id) => execution.read(id, profile.id)));
		return read.flatMap((intent) => intent ?? []);
	}
}

/**
 * Returns the named chain, else the one where the wallet was linked. Coins only where they are ETH.
 */
function chainOf(
	named: string | undefined,
	{ wallet, chains, isCoin }: { wallet: Wallet; chains: KnownChains; isCoin: boolean },
): Chain | Issue {
	const path = "chain";
	const isNamed = named !== undefined;
	const chain = isNamed ? chains.bySlug(named) : chains.byId(wallet.chainId);
	if (!isNamed && !chain) throw transfersFault.chainUnknown();
	const isServed = chain && (!isNamed || chains.isServed(chain.id));
	if (!isServed) return { path, message: "is not a chain served here" };
	if (isCoin && !chain.nativeIsEth) return { path, message: "has another coin than ETH" };
	return chain;
}

function invalid(issues: readonly Issue[]): Fault {
	const [first] = issues;
	return transfersFault.validationError({
		public: `The body is not valid (${first?.path}): ${first?.message}`,
		members: { issues: issues.slice(0, ISSUES_MAX) },
	});
}

function amountOf(text: string, currency: Currency): bigint | string {
	try {
		const { units } = parseAmount(text, currency);
		return units > 0n ? units : "must be more than zero";
	} catch (error) {
		if (error instanceof Fault) return error.publicDetail;
		throw error;
	}
}

/** Returns why this address may not receive; null: it may. */
function addressFlaw(
	text: string,
	{ wallet, chain, coin }: Place & { coin: Coin | null },
): string | null {
	if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return "is not an address: 0x and 40 hex digits";
	// An address in one case has no checksum; in mixed case, a wrong one means a mistyped digit.
	if (!isChecksummed(text)) return "has a wrong checksum (EIP-55): look at it again";
	const address = text.toLowerCase();
	if (BigInt(address) === 0n) return "is the zero address: what is sent there is gone";
	if (BigInt(address) < RESERVED_ADDRESSES) return "is a reserved address that nobody owns";
	if (address === wallet.address) return "is the wallet that sends";
	if (address === coin?.address) return "is the token's own contract";
	if (address === chain.wrappedNative) return "is the wrapped coin's own contract";
	return null;
}
