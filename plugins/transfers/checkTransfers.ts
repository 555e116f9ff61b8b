import { isAddress as isChecksummed } from "viem";
import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Currency } from "#core/money/Currency.ts";
import { parseAmount } from "#core/money/parseAmount.ts";
import { type Coin, coinNamed } from "#plugins/transfers/coin.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import { ISSUES_MAX, RESERVED_ADDRESSES } from "#plugins/transfers/limits.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";

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

type Issue = { path: string; message: string };

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

function invalid(issues: readonly Issue[]): Fault {
	const [first] = issues;
	return transfersFault.validationError({
		public: `The body is not valid (${first?.path}): ${first?.message}`,
		members: { issues: issues.slice(0, ISSUES_MAX) },
	});
}
