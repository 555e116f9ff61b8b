// Starts the issuer's list of stock tokens.

import {
	type Address,
	decodeFunctionResult,
	encodeFunctionData,
	formatUnits,
	type Hex,
	isHex,
	keccak256,
	toHex,
} from "viem";
import { z } from "zod";
import { createRpc, type Rpc } from "../createRpc.ts";
import { type Calls, createFaultDesk, type FaultDesk, TRANSPORT_KINDS } from "../emulatorFaults.ts";
import { Fault } from "../provider/faults.ts";
import { describeStockWorld, type Stock } from "./describeStockWorld.ts";
import type { StockWorld } from "./openStockWorld.ts";
import { stockAbi } from "./stockCatalogue.ts";
import { Hand, lendHand } from "./stockMarket.ts";

export type IssuerEmulatorOptions = {
	rpcUrl: string;
	port?: number | undefined;
	/** With it `POST /_sandbox/world` lets people do what tests call directly. */
	world?: StockWorld;
};

const ticker = z.string().min(1).max(16);
const order = {
	path: z.string().max(200).optional(),
	/** How many reads of the list; without it always. */
	times: z.int().min(1).optional(),
};

/** The faults of an issuer's list, as `POST /_sandbox/faults` takes them. */
const IssuerFault = z.discriminatedUnion("kind", [
	Fault.extend({ kind: z.enum(TRANSPORT_KINDS) }),
	/** The row is missing. */
	z.object({ ...order, kind: z.literal("removal"), ticker }),
	z.object({ ...order, kind: z.literal("wrong_decimals"), ticker, decimals: z.int().default(6) }),
	/** A multiplier that the token does not have yet. */
	z.object({
		...order,
		kind: z.literal("pending_multiplier"),
		ticker,
		multiplier: z.string(),
		effectiveAt: z.iso.datetime().default("2099-01-01T00:00:00.000Z"),
	}),
	/** A row of another token with a lookalike symbol: `АAPL`, whose first letter is Cyrillic. */
	z.object({ ...order, kind: z.literal("confusable"), ticker }),
	/** A row of another token with the same symbol. */
	z.object({ ...order, kind: z.literal("twice"), ticker }),
	z.object({ ...order, kind: z.literal("inactive"), ticker }),
	/** An unreadable row: its deployments are a text. */
	z.object({ ...order, kind: z.literal("odd_row"), ticker }),
	/** An empty list. */
	z.object({ ...order, kind: z.literal("empty") }),
]);
export type IssuerFault = z.output<typeof IssuerFault>;

export type IssuerEmulator = {
	/** STOCK_ASSETS_BASE_URL */
	url: string;
	fault(order: z.input<typeof IssuerFault>): void;
	clearFaults(): void;
	calls(): Calls;
	stop(): Promise<void>;
};

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
/** Shares per token, with 18 decimals. */
const multiplier = z.string().regex(/^\d+\.\d{18}$/);

/** A token in the issuer's list. Errors in it may be intended. */
export const issuerRow = z.object({
	id: z.string(),
	tokenSymbol: z.string(),
	tokenName: z.string(),
	tokenDecimals: z.int(),
	currentMultiplier: multiplier,
	pendingMultiplier: multiplier,
	/** When the pending multiplier takes effect; null without one. */
	pendingMultiplierEffectiveTime: z.iso.datetime().nullable(),
	status: z.enum(["ASSET_STATUS_ACTIVE", "ASSET_STATUS_INACTIVE"]),
	deployments: z.array(
		z.object({ contractAddress: address, chainId: z.int(), networkName: z.string() }),
	),
});
export type IssuerRow = z.output<typeof issuerRow>;

/** The answer of `GET /rhj/assets`. */
const issuerAnswer = z.object({ assets: z.array(issuerRow) });

const ASSETS_PATH = "/rhj/assets";
const CHAIN_ID = 4663;
const DECIMALS_SAID = 18;
/** Letters of other scripts that look like these. */
const LOOKALIKES: Record<string, string> = { A: "А", E: "Е", M: "М", O: "О", P: "Р", S: "Ѕ" };
const Answer = z.custom<Hex>((value) => isHex(value));

/** Starts the issuer's list over a stock world; multipliers are read from the tokens. */
export function startIssuerEmulator(options: IssuerEmulatorOptions): IssuerEmulator {
	const rpc = createRpc(options.rpcUrl);
	const desk = createFaultDesk(IssuerFault);
	const { stocks, bad } = describeStockWorld();
	// The namesake is listed by a fault only: no real list has a symbol twice.
	const { namesake, ...others } = bad;
	const listed = [...stocks, ...Object.values(others)];

	async function answer({ pathname }: URL): Promise<Response> {
		if (pathname !== ASSETS_PATH) return Response.json({ message: "Not Found" }, { status: 404 });
		const rows = await Promise.all(listed.map((stock) => rowOf(rpc, stock)));
		const good = issuerAnswer.parse({ assets: rows });
		return Response.json({ assets: spoilt(desk, good.assets, namesake.address) });
	}

	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: options.port ?? 0,
		idleTimeout: 0,
		fetch: (request) => {
			const isHand = new URL(request.url).pathname === "/_sandbox/world";
			return isHand ? answerHand(request, options.world) : desk.serve(request, answer);
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		fault: (order) => desk.add(IssuerFault.parse(order)),
		clearFaults: desk.clear,
		calls: desk.calls,
		async stop() {
			desk.stop();
			await server.stop(true);
		},
	};
}

async function rowOf(rpc: Rpc, { uid, ticker, name, address }: Stock): Promise<IssuerRow> {
	const names = ["uiMultiplier", "newUIMultiplier", "effectiveAt"] as const;
	const calls = names.map((functionName) => ({
		method: "eth_call",
		params: [{ to: address, data: encodeFunctionData({ abi: stockAbi, functionName }) }, "latest"],
	}));
	const answers = await rpc.batch(calls);
	const [current = 0n, pending = 0n, at = 0n] = names.map((functionName, index) =>
		decodeFunctionResult({ abi: stockAbi, functionName, data: Answer.parse(answers[index]) }),
	);
	return {
		id: uid,
		tokenSymbol: ticker,
		tokenName: `${name} token`,
		tokenDecimals: DECIMALS_SAID,
		currentMultiplier: written(current),
		pendingMultiplier: written(pending),
		pendingMultiplierEffectiveTime: current === pending ? null : timeOf(Number(at) * 1_000),
		status: "ASSET_STATUS_ACTIVE",
		deployments: [{ contractAddress: address, chainId: CHAIN_ID, networkName: "robinhood" }],
	};
}

function written(multiplier: bigint): string {
	const [whole, part = ""] = formatUnits(multiplier, 18).split(".");
	return `${whole}.${part.padEnd(18, "0")}`;
}

function timeOf(ms: number): string {
	return new Date(ms).toISOString();
}

function spoilt(
	desk: FaultDesk<IssuerFault>,
	rows: readonly IssuerRow[],
	stranger: Address,
): unknown[] {
	const take = <Kind extends IssuerFault["kind"]>(kind: Kind) => desk.take(ASSETS_PATH, kind);
	if (take("empty").length > 0) return [];
	const gone = new Set(take("removal").map(({ ticker }) => ticker));
	const decimals = new Map(take("wrong_decimals").map((one) => [one.ticker, one.decimals]));
	const pending = new Map(take("pending_multiplier").map((one) => [one.ticker, one]));
	const inactive = new Set(take("inactive").map(({ ticker }) => ticker));
	const odd = new Set(take("odd_row").map(({ ticker }) => ticker));
	const changed = rows.flatMap((row): unknown[] => {
		const { tokenSymbol: ticker } = row;
		const next = pending.get(ticker);
		if (gone.has(ticker)) return [];
		if (odd.has(ticker)) return [{ ...row, deployments: "robinhood" }];
		return [
			{
				...row,
				tokenDecimals: decimals.get(ticker) ?? row.tokenDecimals,
				...(next && {
					pendingMultiplier: next.multiplier,
					pendingMultiplierEffectiveTime: next.effectiveAt,
				}),
				...(inactive.has(ticker) && { status: "ASSET_STATUS_INACTIVE" }),
			},
		];
	});
	const strangers = [
		...take("confusable").map(({ ticker }) => lookalikeOf(ticker)),
		...take("twice").map(({ ticker }) => ticker),
	].map((symbol) => strangerRow(rows, { symbol, stranger }));
	return [...changed, ...strangers];
}

function lookalikeOf(ticker: string): string {
	const at = [...ticker].findIndex((letter) => letter in LOOKALIKES);
	if (at < 0) throw new Error(`${ticker} has no letter that looks like another`);
	return `${ticker.slice(0, at)}${LOOKALIKES[ticker[at] ?? ""]}${ticker.slice(at + 1)}`;
}

function strangerRow(
	rows: readonly IssuerRow[],
	{ symbol, stranger }: { symbol: string; stranger: Address },
): unknown {
	const [like] = rows;
	const id = keccak256(toHex(`stranger ${symbol}`));
	const deployments = [{ contractAddress: stranger, chainId: CHAIN_ID, networkName: "robinhood" }];
	return { ...like, id, tokenSymbol: symbol, tokenName: `${symbol} token`, deployments };
}

async function answerHand(request: Request, world: StockWorld | undefined): Promise<Response> {
	if (!world || request.method !== "POST") return Response.json({}, { status: 404 });
	const hand = Hand.safeParse(await request.json().catch(() => null));
	if (!hand.success) return Response.json({ detail: hand.error.message }, { status: 400 });
	try {
		await lendHand(world, hand.data);
		return Response.json({ done: hand.data.do });
	} catch (cause) {
		const detail = cause instanceof Error ? cause.message : String(cause);
		return Response.json({ detail }, { status: 409 });
	}
}
