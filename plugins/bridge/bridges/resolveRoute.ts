// Resolves the names in a request to two chains, two currencies, an amount and addresses.

import { isAddress as isChecksummed } from "viem";
import { z } from "zod";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { parseAmount } from "#core/money.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { ALL } from "#plugins/bridge/bridges/bridgeBody.ts";
import { publishedName } from "#plugins/bridge/bridges/pinContracts.ts";
import { balanceCall } from "#plugins/bridge/bridges/readBalances.ts";
import { type DirectEnds, resolveDirect } from "#plugins/bridge/direct/quoteDirect.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import type { RelayCallOptions, RelayChain } from "#plugins/bridge/relay/Relay.ts";
import type { BridgeRequest } from "#plugins/bridge/sql/bridges.ts";
import {
	type Preference,
	readChainsOff,
	readPreferences,
} from "#plugins/bridge/sql/preferences.ts";
import type { Denial, Wallet } from "#plugins/wallets/contract.ts";

/** A route that may be quoted, with both chains as the provider publishes them. */
export type Resolved = {
	route: BridgeRoute;
	origin: RelayChain;
	destination: RelayChain;
	/** True if a signature is asked for in place of transactions. */
	usePermit: boolean;
	/** The token crosses by itself, by LayerZero; null: the provider carries it. */
	direct: DirectEnds | null;
};
/** Holds what operators and the profile's owner set about chains. */
type RouteRules = {
	off: ReadonlySet<number>;
	preferences: ReadonlyMap<number, Preference>;
};
type RouteAsked = {
	request: BridgeRequest;
	wallet: Wallet;
	rules: RouteRules;
	options: RelayCallOptions;
};
type Resolution = { kind: "good"; resolved: Resolved } | { kind: "bad"; denial: Denial };

const HOME_CHAIN = "robinhood";
/** The destination of 'DEGEN 2 STABLE': chain 988 and its stablecoin. */
const STABLE = { chain: "988", currency: "0x779ded0c9e1022225f8e0630b35a9b54be713736" };
/** The most addresses that are named where a symbol means several. */
const AMBIGUOUS_SHOWN = 4;
/**
 * Limits the addresses of precompiled contracts and others that have no private key: all below it.
 */
const RESERVED_ADDRESSES = 0x1_0000n;
/** Gas of a deposit, kept four times: its price may double, and more is offered than is paid. */
const DEPOSIT_GAS_KEPT = 4n * 150_000n;
const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,64}$/)
	.transform(BigInt);
const decimalsSelector = "0x313ce567";
const decimalsWord = anyCaseWordSchema.transform(BigInt);

type Currency = { address: Address; symbol: string; decimals: number };
type Named = { chain: RelayChain; name: string; options: RelayCallOptions };

/** Thrown to leave the resolution with a reason; it never leaves this file. */
class Refused {
	constructor(readonly denial: Denial) {}
}

const refuse = (code: string, detail: string) => new Refused({ code, detail });

/** Reads which chains are off and what the profile prefers, in parallel. */
export async function readRouteRules(db: Queryable, profileId: string): Promise<RouteRules> {
	const [off, preferences] = await Promise.all([readChainsOff(db), readPreferences(db, profileId)]);
	return { off, preferences };
}

/**
 * Resolves names: both chains, both currencies, the exact amount, the recipient and the refund
 * address. A name that is unclear or not allowed is refused with a reason; a provider that does not
 * answer is a Fault.
 */
export async function resolveRoute(context: BridgeContext, asked: RouteAsked): Promise<Resolution> {
	try {
		return { kind: "good", resolved: await resolve(context, asked) };
	} catch (error) {
		if (error instanceof Refused) return { kind: "bad", denial: error.denial };
		throw error;
	}
}

async function resolve(context: BridgeContext, asked: RouteAsked): Promise<Resolved> {
	const { request, wallet, options } = asked;
	const { off, preferences } = asked.rules;
	const { mode } = request;
	const isDegen = mode === "degen_2_stable";
	const to = isDegen ? STABLE.chain : request.to;
	if (to === null) throw refuse("chain_unavailable", "No destination chain is named.");
	const chains = await context.directory.chains(options);
	const find = (name: string) => usableChain(context, { name, chains, off });
	const origin = find(request.from ?? HOME_CHAIN);
	const destination = find(to);
	if (origin.id === destination.id) {
		throw refuse("same_chain", "Both ends are on one chain: that is a trade, not a bridge.");
	}
	if (!context.core.reached.some(({ chain }) => chain.id === origin.id)) {
		throw refuse("chain_unavailable", `Nothing is sent from ${origin.displayName} here.`);
	}
	const into = isDegen ? STABLE.currency : (request.as ?? request.currency);
	const { signal } = options;
	const found =
		mode === "direct"
			? await resolveDirect(context, { request, origin, destination, signal })
			: await bothCurrencies(context, [
					{ chain: origin, name: request.currency, options },
					{ chain: destination, name: into, options },
				]);
	if ("denial" in found) throw new Refused(found.denial);
	const { from, as, ends: direct } = found;
	await requireDecimals(context, { chain: origin, ...from, signal: options.signal });
	const user = wallet.address;
	const recipient =
		request.recipient ?? preferences.get(destination.id)?.recipient ?? (user as string);
	const refundTo = request.refundTo ?? preferences.get(origin.id)?.refundTo ?? (user as string);
	const place = (chain: RelayChain, currency: Currency) => ({
		...{ chainId: chain.id, chain: context.core.chains.byId(chain.id)?.slug ?? chain.name },
		...{ currency: currency.address, symbol: currency.symbol, decimals: currency.decimals },
	});
	const route: BridgeRoute = {
		user,
		recipient: payee(recipient, { member: "recipient", token: as.address }),
		refundTo: payee(refundTo, { member: "refundTo", token: from.address }),
		amountRaw:
			request.amount === ALL
				? await allRaw(context, { ...from, chain: origin, owner: user, mode, signal })
				: amountRaw(request.amount, from),
		origin: place(origin, from),
		destination: place(destination, as),
	};
	await Promise.all([
		requirePayable(context, { chain: destination, address: route.recipient }, "recipient"),
		requirePayable(context, { chain: origin, address: route.refundTo }, "refundTo"),
	]);
	const usePermit = direct === null && usesPermit(context, { wallet, origin, ...from });
	return { route, origin, destination, usePermit, direct };
}

/**
 * Refuses contracts of the registry and addresses of the provider's as recipients: money that
 * arrives there is lost, and the provider's own moves would look like payments of an order.
 */
async function requirePayable(
	{ wallets }: BridgeContext,
	{ chain, address }: { chain: RelayChain; address: Address },
	member: string,
): Promise<void> {
	const place = { chainId: chain.id, address };
	const named =
		publishedName(chain, address) ?? (await wallets.execution.tokens.contractNamed(place));
	if (named === null) return;
	throw refuse("recipient_invalid", `${member} is ${named}: nobody gets out what arrives there.`);
}

/** Returns true where this service signs and the provider moves the token by a signature. */
function usesPermit(
	{ settings }: BridgeContext,
	{ wallet, origin, address }: { wallet: Wallet; origin: RelayChain; address: Address },
): boolean {
	const isOurs = wallet.capability === "embedded/delegated";
	return settings.usesPermits && isOurs && origin.permits?.tokens.includes(address) === true;
}

/** Returns the live EVM chain of a name; refuses one that the environment or operators took out. */
function usableChain(
	{ core, settings }: BridgeContext,
	given: { name: string; chains: readonly RelayChain[]; off: ReadonlySet<number> },
): RelayChain {
	const { name, chains, off } = given;
	const wanted = name.toLowerCase();
	const id = core.chains.bySlug(wanted)?.id;
	const chain = chains.find((one) => {
		if (id !== undefined) return one.id === id;
		return [String(one.id), one.name, one.displayName].some((is) => is.toLowerCase() === wanted);
	});
	const denied = id ?? chain?.id;
	if (denied !== undefined && (settings.deniedChainIds.has(denied) || off.has(denied))) {
		throw refuse("chain_denied", `Bridging over ${name} is turned off here.`);
	}
	if (!chain) throw refuse("chain_unavailable", `The bridge does not serve "${name}".`);
	if (!chain.isEvm) throw refuse("chain_not_evm", `${chain.displayName} is no EVM chain.`);
	if (chain.isDisabled || chain.isLagging || chain.protocol === null) {
		throw refuse("chain_unavailable", `${chain.displayName} cannot be bridged over now.`);
	}
	return chain;
}

async function bothCurrencies(context: BridgeContext, [given, wanted]: [Named, Named]) {
	const [from, as] = await Promise.all([currencyOf(context, given), currencyOf(context, wanted)]);
	return { ends: null, from, as };
}

/**
 * Returns the currency of a symbol or an address. A symbol with several meanings, or of a token
 * that the provider does not vouch for, is refused: any contract may use any name.
 */
async function currencyOf(
	{ directory }: BridgeContext,
	{ chain, name, options }: Named,
): Promise<Currency> {
	const chainId = chain.id;
	const coin = { address: ZERO_ADDRESS, ...chain.currency };
	if (isChecksummed(name, { strict: false })) {
		if (!isChecksummed(name)) throw refuse("currency_unknown", "The address's checksum is wrong.");
		const address = name.toLowerCase() as Address;
		if (address === ZERO_ADDRESS) return coin;
		const [row] = await directory.currencies({ chainId, address }, options);
		if (row?.address !== address) throw unknownCurrency(name, chain);
		return row;
	}
	const wanted = name.replace(/^\$/, "").toUpperCase();
	const rows = await directory.currencies({ chainId, term: wanted }, options);
	const named = new Map<string, Currency>();
	for (const row of rows) {
		if (row.symbol.toUpperCase() === wanted) named.set(row.address, row);
	}
	if (coin.symbol.toUpperCase() === wanted) named.set(ZERO_ADDRESS, coin);
	if (named.size > 1) {
		const shown = [...named.keys()].slice(0, AMBIGUOUS_SHOWN).join(", ");
		const detail =
			`"${wanted}" means ${named.size} currencies on ${chain.displayName}: ` +
			`name one by its address (${shown}).`;
		throw refuse("symbol_ambiguous", detail);
	}
	const [only] = named.values();
	if (!only) throw unknownCurrency(name, chain);
	return only;
}

function unknownCurrency(name: string, { displayName }: RelayChain): Refused {
	return refuse("currency_unknown", `The bridge knows no "${name}" on ${displayName}.`);
}

/** Refuses a currency whose decimals by the provider are not those that the chain says. */
async function requireDecimals(
	{ core, readers }: BridgeContext,
	given: Currency & { chain: RelayChain; signal: AbortSignal },
): Promise<void> {
	const { chain, address, decimals, symbol, signal } = given;
	const known = core.chains.byId(chain.id)?.nativeCurrency.decimals;
	if (address === ZERO_ADDRESS) {
		if (decimals === known) return;
		throw refuse("currency_unknown", `The decimals of ${symbol} are not what the chain has.`);
	}
	const read = readers.own(chain.id);
	let told: unknown = null;
	try {
		told = await read?.("eth_call", [{ to: address, data: decimalsSelector }, "latest"], signal);
	} catch {
		throw refuse("chain_unavailable", `${chain.displayName} cannot be read now.`);
	}
	if (decimalsWord.safeParse(told).data !== BigInt(decimals)) {
		throw refuse("currency_unknown", `The decimals of ${symbol} are not what its contract says.`);
	}
}

/**
 * Returns all that a wallet holds of a currency; of the chain's coin, less what the deposit may
 * cost. In direct mode the message is paid in coin as well, and its price is known only after a
 * quote for an amount.
 */
async function allRaw(
	{ readers }: BridgeContext,
	given: Currency & {
		chain: RelayChain;
		owner: Address;
		mode: BridgeRequest["mode"];
		signal: AbortSignal;
	},
): Promise<bigint> {
	const { chain, address, symbol, owner, mode, signal } = given;
	const isCoin = address === ZERO_ADDRESS;
	if (isCoin && mode === "direct") throw refuse("amount_invalid", "Name the amount of the coin.");
	const read = readers.own(chain.id);
	let [heldRaw, priceRaw]: [bigint, bigint] = [0n, 0n];
	try {
		const [held, price] = await Promise.all([
			read?.(...balanceCall(address, owner), signal),
			isCoin ? read?.("eth_gasPrice", [], signal) : "0x0",
		]);
		[heldRaw, priceRaw] = [quantity.parse(held), quantity.parse(price)];
	} catch {
		throw refuse("chain_unavailable", `${chain.displayName} cannot be read now.`);
	}
	const raw = heldRaw - DEPOSIT_GAS_KEPT * priceRaw;
	if (raw > 0n) return raw;
	const kept = isCoin && heldRaw > 0n ? ", less what the deposit may cost" : "";
	throw refuse("balance_insufficient", `The wallet holds no ${symbol} to bridge${kept}.`);
}

function amountRaw(text: string, currency: Currency): bigint {
	try {
		const { units } = parseAmount(text, currency);
		if (units > 0n) return units;
	} catch (error) {
		if (error instanceof Fault) throw refuse("amount_invalid", error.publicDetail);
		throw error;
	}
	throw refuse("amount_invalid", "The amount must be more than zero.");
}

/** Reads an address that is paid; an address without a private key is refused. */
function payee(text: string, { member, token }: { member: string; token: Address }): Address {
	const isAddress = isChecksummed(text);
	const address = text.toLowerCase() as Address;
	const isReserved = isAddress && (BigInt(address) < RESERVED_ADDRESSES || address === token);
	if (isAddress && !isReserved) return address;
	throw refuse("recipient_invalid", `\`${member}\` is no address that can be paid.`);
}
