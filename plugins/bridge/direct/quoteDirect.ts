// Finds and quotes tokens that cross by their own LayerZero contracts, without the provider.

import { encodeFunctionData, erc20Abi, keccak256, stringToBytes } from "viem";
import { z } from "zod";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import {
	type OftEnd,
	oftAbi,
	oftEndOf,
	oftReader,
	type SendParam,
	wordOf,
} from "#plugins/bridge/direct/oft.ts";
import { MINIMUM_SHARE_BPS } from "#plugins/bridge/limits.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import type { BridgeStep } from "#plugins/bridge/quote/authorizations.ts";
import type { CheckedQuote } from "#plugins/bridge/quote/checkQuote.ts";
import type { RelayChain } from "#plugins/bridge/relay/Relay.ts";
import type { BridgeRequest } from "#plugins/bridge/sql/bridges.ts";
import type { Told } from "#plugins/bridge/sql/quotes.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/** Holds both ends of a token that is bridged directly by LayerZero. */
export type DirectEnds = { from: OftEnd; to: OftEnd };

type Asked = {
	route: BridgeRoute;
	direct: DirectEnds;
	origin: RelayChain;
	destination: RelayChain;
	signal: AbortSignal;
};
type Quoted = { kind: "good"; quote: CheckedQuote; told: Told } | { kind: "bad"; denial: Denial };

type Currency = { address: Address; symbol: string; decimals: number };
type Found = { ends: DirectEnds; from: Currency; as: Currency } | { denial: Denial };

/** The lifetime of a quote, because a message's cost changes with the gas of two chains. */
const QUOTE_LIFETIME_MS = 120_000;
const ESTIMATE_S = 60;
const BPS = 10_000n;

const { blockNumber } = chainNumbers;
const DECIMALS_CALL = "0x313ce567";
const decimalsWord = z
	.string()
	.regex(/^0x0{62}[0-9a-fA-F]{2}$/)
	.transform(Number);

/**
 * Quotes a token that is bridged by LayerZero itself: there is no solver and no order, and what
 * leaves is what arrives. Both contracts must name each other on their own chains, and both must be
 * of the very tokens of the route; no third party is trusted. A chain that cannot be read is a
 * refusal: nothing was sent.
 */
export async function quoteDirect(context: BridgeContext, asked: Asked): Promise<Quoted> {
	try {
		return await quote(context, asked);
	} catch {
		return bad("chain_unavailable", "The token's contracts cannot be read now.");
	}
}

/**
 * Finds the token that a direct bridge is about among those that the deployment names, by its
 * symbol or its address on the origin chain. It is one token: `as` may only say the same again.
 */
export async function resolveDirect(
	{ readers, settings }: BridgeContext,
	given: {
		request: BridgeRequest;
		origin: RelayChain;
		destination: RelayChain;
		signal: AbortSignal;
	},
): Promise<Found> {
	const { request, origin, destination, signal } = given;
	const wanted = request.currency.replace(/^\$/, "").toLowerCase();
	for (const token of settings.directTokens) {
		const from = oftEndOf(token, origin.id);
		const to = oftEndOf(token, destination.id);
		const here = readers.own(origin.id);
		const there = readers.of(destination.id, destination.httpRpcUrl);
		if (!from || !to || !here || !there) continue;
		try {
			const [address, arrives] = await Promise.all([
				oftReader(here, from.oft, signal).token(),
				oftReader(there, to.oft, signal).token(),
			]);
			if (![token.symbol.toLowerCase(), address].includes(wanted)) continue;
			const as = request.as?.replace(/^\$/, "").toLowerCase();
			if (as !== undefined && ![token.symbol.toLowerCase(), arrives].includes(as)) {
				return denied("currency_unknown", "A direct bridge brings the same token.");
			}
			const decimalsOf = async (read: typeof here, to: Address) =>
				decimalsWord.parse(await read("eth_call", [{ to, data: DECIMALS_CALL }, "latest"], signal));
			const [decimals, decimalsThere] = await Promise.all([
				decimalsOf(here, address),
				decimalsOf(there, arrives),
			]);
			// The contracts would round what one of both cannot hold.
			if (decimals !== decimalsThere) break;
			const { symbol } = token;
			return {
				ends: { from, to },
				from: { address, symbol, decimals },
				as: { address: arrives, symbol, decimals },
			};
		} catch {
			return denied("chain_unavailable", "The token's contracts cannot be read now.");
		}
	}
	return denied("mode_unsupported", "Nobody here knows a direct way for that token.");
}

async function quote({ readers, core, newId }: BridgeContext, asked: Asked): Promise<Quoted> {
	const { route, direct, origin, destination, signal } = asked;
	const { from, to } = direct;
	const here = readers.own(from.chainId);
	const there = readers.of(to.chainId, destination.httpRpcUrl);
	if (!here || !there) return bad("chain_unavailable", "The token's contracts cannot be read now.");
	const source = oftReader(here, from.oft, signal);
	const target = oftReader(there, to.oft, signal);
	const [peerThere, peerHere, token, arrives, approves, newestBlock] = await Promise.all([
		...[source.peer(to.eid), target.peer(from.eid), source.token(), target.token()],
		...[source.approvalRequired(), there("eth_blockNumber", [], signal).then(blockNumber.parse)],
	] as const);
	const isMutual = peerThere === wordOf(to.oft) && peerHere === wordOf(from.oft);
	if (!isMutual) return bad("peer_unverified", "The token's contracts do not name each other.");
	if (token !== route.origin.currency || arrives !== route.destination.currency) {
		return bad("peer_unverified", "The contracts are of another token.");
	}
	const { amountRaw, user, refundTo, recipient } = route;
	const param: SendParam = {
		...{ dstEid: to.eid, to: wordOf(recipient), amountLD: amountRaw, minAmountLD: 0n },
		...{ extraOptions: "0x", composeMsg: "0x", oftCmd: "0x" },
	};
	const told = await source.quoteOft(param);
	const isWithin = amountRaw >= told.minAmountLD && amountRaw <= told.maxAmountLD;
	if (!isWithin || told.amountSentLD !== amountRaw) {
		return bad("amount_invalid", "The token's contract does not send exactly that amount.");
	}
	const received = told.amountReceivedLD;
	if (received > amountRaw || received * BPS < amountRaw * MINIMUM_SHARE_BPS) {
		return bad("slippage_too_high", "Too little of it would arrive.");
	}
	const exact = { ...param, minAmountLD: received };
	const fee = await source.quoteSend(exact);
	if (fee.lzTokenFee !== 0n) return bad("quote_mismatch", "The message is paid in another token.");
	const call = { abi: oftAbi, functionName: "send", args: [exact, fee, refundTo] } as const;
	const isCoin = token === ZERO_ADDRESS;
	const base = { chainId: from.chainId, from: user };
	const deposit: BridgeStep = {
		...{ ...base, kind: "deposit", to: from.oft, data: encodeFunctionData(call) },
		valueRaw: fee.nativeFee + (isCoin ? amountRaw : 0n),
	};
	const args = [from.oft, amountRaw] as const;
	const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
	const approve: BridgeStep = { ...base, kind: "approve", to: token, valueRaw: 0n, data };
	// Nobody gives it a name: this is ours.
	const id: Hex = keccak256(stringToBytes(newId()));
	return {
		kind: "good",
		quote: {
			...{ requestId: id, orderId: id, depository: from.oft, authorizations: [] },
			...{ minimumOutRaw: received, expectedOutRaw: received },
			deadlineMs: core.clock.nowMs() + QUOTE_LIFETIME_MS,
			steps: approves && !isCoin ? [approve, deposit] : [deposit],
		},
		told: {
			fees: {
				message: {
					...{ amountRaw: String(fee.nativeFee), symbol: origin.currency.symbol },
					amountUsd: null,
				},
			},
			...{ impactPercent: null, impactUsd: null, estimateSeconds: ESTIMATE_S, rate: null },
			// Exactly as much of the same token arrives.
			...{ paidUsd: null, isLossUnknown: false },
			order: { dstEid: to.eid, to: exact.to, amountLD: String(amountRaw), oft: to.oft },
			...{ orderSignature: "0x", newestBlock: String(newestBlock) },
		},
	};
}

function bad(code: string, detail: string): Quoted {
	return { kind: "bad", denial: { code, detail } };
}

function denied(code: string, detail: string): Found {
	return { denial: { code, detail } };
}
