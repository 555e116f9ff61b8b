// Answers the bridge provider's API, and sends its webhooks.

import { createHmac } from "node:crypto";
import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { type BridgeFaults, lieAbout } from "./BridgeFault.ts";
import {
	type BridgeChain,
	type BridgeCurrency,
	type BridgeEntry,
	type BridgeWorld,
	solverAccount,
} from "./BridgeWorld.ts";
import { lieAboutPermit, type PermitOffice, takePermit } from "./permits.ts";
import { QuoteBody, quoteRoute } from "./quoteRoute.ts";

export type BridgeOffice = PermitOffice & {
	apiKey: string | null;
	/** Changes a quote before it is answered; for tests that spoil each member of one. */
	spoilQuote: ((quote: any) => any) | null;
	hinted: { chainId: string; txHash: string; requestId: string }[];
	/** Makes the solver look for deposits now, and waits until it has. */
	look(): Promise<void>;
};

/** A webhook as it was posted, and what was answered; 0: nobody answered. */
export type BridgeDelivery = { requestId: string; status: string; answered: number };

const CurrenciesBody = z.object({
	chainIds: z.array(z.int()).optional(),
	term: z.string().optional(),
	address: z.string().optional(),
	verified: z.boolean().optional(),
	limit: z.int().optional(),
});
const IndexBody = z.object({ chainId: z.string(), txHash: z.string(), requestId: z.string() });

const COIN = `0x${"0".repeat(40)}`;

const OLD_MS = 86_400_000;

/** What the bridge provider's API answers, with nothing going wrong but what faults order. */
export async function answerBridge(office: BridgeOffice, request: Request): Promise<Response> {
	const url = new URL(request.url);
	const { world, faults } = office;
	const route = `${request.method} ${url.pathname}`;
	switch (route) {
		case "GET /chains":
			return Response.json({ chains: world.chains.map(renderChain) });
		case "POST /currencies/v2":
			return await currencies(world, request);
		case "POST /quote/v2":
			return await quote(office, request);
		case "GET /intents/status/v3": {
			const id = url.searchParams.get("requestId")?.toLowerCase();
			const entry = world.entries.find(({ requestId }) => requestId === id);
			if (!entry || faults.ofStatus()) return refusal(404, "NOT_FOUND", "no such request");
			return Response.json(renderStatus(entry));
		}
		case "GET /requests/v3": {
			if (!isKeyed(office, request)) return refusal(401, "UNAUTHORIZED", "a key is needed");
			const entry = world.entries.find((one) => fits(one, url.searchParams));
			return Response.json({ requests: entry ? [renderRequest(entry)] : [] });
		}
		case "POST /execute/permits":
			return await takePermit(office, url.searchParams.get("signature"), request);
		case "POST /transactions/index": {
			const { data } = IndexBody.safeParse(await request.json().catch(() => null));
			if (!data) return refusal(400, "INVALID", "no such transaction");
			office.hinted.push(data);
			await office.look();
			return Response.json({ message: "indexing" });
		}
		default:
			return refusal(404, "NOT_FOUND", "no such route");
	}
}

/** Who names a key must name the right one. */
export function isKeyed({ apiKey }: BridgeOffice, request: Request): boolean {
	return apiKey !== null && request.headers.get("x-api-key") === apiKey;
}

export function refusal(status: number, errorCode: string, message: string): Response {
	return Response.json({ message, errorCode }, { status });
}

/** Tells every status by webhook, where somebody listens: in order, once, unless a fault says. */
export function createBridgePostbox(options: { key: string; clock: Clock; faults: BridgeFaults }) {
	const { key, clock, faults } = options;
	const deliveries: BridgeDelivery[] = [];
	let to: string | null = null;
	let line = Promise.resolve();

	async function post(entry: BridgeEntry, body: string): Promise<void> {
		if (to === null) return;
		const fault = faults.ofWebhook()?.kind;
		if (fault === "webhook_never") return;
		const atMs = clock.nowMs() - (fault === "webhook_old" ? OLD_MS : 0);
		const headers = signBridgeWebhook(fault === "webhook_forged" ? "other" : key, body, atMs);
		for (let times = fault === "webhook_twice" ? 2 : 1; times > 0; times--) {
			const answer = await fetch(to, { method: "POST", headers, body }).catch(() => null);
			const { requestId, status } = entry;
			deliveries.push({ requestId, status, answered: answer?.status ?? 0 });
		}
	}

	return {
		deliveries,
		sendTo(url: string | null) {
			to = url;
		},
		tell(entry: BridgeEntry) {
			const told = { event: "request.status.updated", timestamp: clock.nowMs() };
			const body = JSON.stringify({ ...told, data: renderStatus(entry) });
			line = line.then(() => post(entry, body)).catch(() => {});
		},
		idle: () => line,
	};
}

/** As `GET /intents/status/v3` and webhooks tell it. */
function renderStatus(entry: BridgeEntry) {
	return {
		...{ status: entry.status, updatedAt: entry.updatedAtMs, requestId: entry.requestId },
		inTxHashes: entry.deposits.map(({ hash }) => hash),
		txHashes: outHashes(entry),
		originChainId: entry.origin.chain.id,
		destinationChainId: entry.destination.chain.id,
		failReason: entry.failReason ?? "N/A",
		refundFailReason: "N/A",
	};
}

/** Signs a webhook's body as the bridge provider does, with the API key. */
export function signBridgeWebhook(key: string, body: string, timestampMs: number) {
	const mac = createHmac("sha256", key).update(`${timestampMs}.${body}`).digest("hex");
	return {
		"content-type": "application/json",
		"x-signature-timestamp": String(timestampMs),
		"x-signature-sha256": mac,
	};
}

function renderChain(chain: BridgeChain) {
	const { id, name, currencies, isDisabled = false, isLagging = false, vmType = "evm" } = chain;
	const rendered = currencies.map((one) => ({
		...{ id: one.symbol.toLowerCase(), symbol: one.symbol, name: one.name },
		...{ address: one.address, decimals: one.decimals, supportsBridging: true },
		supportsPermit: one.supportsPermit === true,
	}));
	return {
		...{ id, name, displayName: name, httpRpcUrl: chain.rpcUrl, wsRpcUrl: "", explorerUrl: "" },
		...{ depositEnabled: true, tokenSupport: "All", disabled: isDisabled, partialDisableLimit: 0 },
		...{ blockProductionLagging: isLagging, vmType },
		currency: rendered.find((one) => one.address === COIN),
		erc20Currencies: rendered.filter((one) => one.address !== COIN),
		solverCurrencies: rendered,
		solverAddresses: [solverAccount.address.toLowerCase()],
		contracts: { v3: { approvalProxy: chain.approvalProxy } },
		protocol: { v2: { chainId: name, depository: chain.depository } },
	};
}

async function currencies({ chains }: BridgeWorld, request: Request): Promise<Response> {
	const { data } = CurrenciesBody.safeParse(await request.json().catch(() => null));
	if (!data) return refusal(400, "INVALID_INPUT", "the body is not valid");
	const { chainIds, term, address, verified, limit = 20 } = data;
	const rows = chains
		.filter(({ id }) => chainIds === undefined || chainIds.includes(id))
		.flatMap((chain) => chain.currencies.map((one) => renderCurrency(chain, one)))
		.filter((row) => {
			const words = `${row.symbol} ${row.name}`.toLowerCase();
			if (term !== undefined && !words.includes(term.toLowerCase())) return false;
			if (address !== undefined && row.address !== address.toLowerCase()) return false;
			return verified !== true || row.metadata.verified;
		});
	return Response.json(rows.slice(0, limit));
}

function renderCurrency(chain: BridgeChain, currency: BridgeCurrency) {
	const { address, symbol, name, decimals, isVerified = true } = currency;
	const metadata = { logoURI: "", verified: isVerified, isNative: address === COIN };
	return { chainId: chain.id, address, symbol, name, decimals, vmType: "evm", metadata };
}

async function quote(office: BridgeOffice, request: Request): Promise<Response> {
	const { world, faults, spoilQuote } = office;
	const { data } = QuoteBody.safeParse(await request.json().catch(() => null));
	if (!data) return refusal(400, "INVALID_INPUT", "the body is not valid");
	const quoted = await quoteRoute(world, data, world.entries.length);
	if ("errorCode" in quoted) return refusal(400, quoted.errorCode, quoted.message);
	const lie = faults.ofQuote();
	if (lie) await lieAbout(quoted.quote, lie.kind as Parameters<typeof lieAbout>[1]);
	const spoilt = quoted.entry.permit && faults.ofPermit();
	if (spoilt) lieAboutPermit(quoted.quote, spoilt.kind as Parameters<typeof lieAboutPermit>[1]);
	world.entries.push(quoted.entry);
	return Response.json(spoilQuote ? spoilQuote(quoted.quote) : quoted.quote);
}

function fits(entry: BridgeEntry, query: URLSearchParams): boolean {
	const id = query.get("id");
	const orderId = query.get("orderId");
	const hash = query.get("depositTxHash");
	if (id !== null) return entry.requestId === id;
	if (orderId !== null) return entry.orderId === orderId;
	return hash !== null && entry.deposits.some((one) => one.hash === hash);
}

function renderRequest(entry: BridgeEntry) {
	const { requestId: id, status, user, recipient, deposits, fill, refund } = entry;
	const outTxs = [fill, refund].flatMap((one) =>
		one ? [{ txHash: one.hash, chainId: one.chainId, status: "success" }] : [],
	);
	const inTxs = deposits.map(({ hash, chainId }) => ({ txHash: hash, chainId }));
	const data = { failReason: entry.failReason ?? "N/A", inTxs, outTxs };
	return { ...{ id, status, user, recipient, refundTo: entry.refundTo }, data };
}

function outHashes({ told, fill, refund }: BridgeEntry): string[] {
	return told ?? [fill, refund].flatMap((payment) => payment?.hash ?? []);
}
