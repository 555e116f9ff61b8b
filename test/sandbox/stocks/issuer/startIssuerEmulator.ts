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
import { createRpc } from "../../createRpc.ts";
import type { Calls } from "../../provider/faults/callLog.ts";
import type { Rpc } from "../../Rpc.ts";
import { describeStockWorld, type Stock } from "../describeStockWorld.ts";
import { createFaultDesk, type FaultDesk } from "../faults/createFaultDesk.ts";
import { Hand, lendHand } from "../market/hands.ts";
import type { StockWorld } from "../openStockWorld.ts";
import { stockAbi } from "../stockAbi.ts";
import { IssuerFault } from "./IssuerFault.ts";
import { type IssuerRow, issuerAnswer } from "./issuerAnswer.ts";

export type IssuerEmulator = {
	/** STOCK_ASSETS_BASE_URL */
	url: string;
	fault(order: z.input<typeof IssuerFault>): void;
	clearFaults(): void;
	calls(): Calls;
	stop(): Promise<void>;
};

export type IssuerEmulatorOptions = {
	rpcUrl: string;
	port?: number | undefined;
	/** With it `POST /_sandbox/world` lets people do what tests call directly. */
	world?: StockWorld;
};

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

function strangerRow(
	rows: readonly IssuerRow[],
	{ symbol, stranger }: { symbol: string; stranger: Address },
): unknown {
	const [like] = rows;
	const id = keccak256(toHex(`stranger ${symbol}`));
	const deployments = [{ contractAddress: stranger, chainId: CHAIN_ID, networkName: "robinhood" }];
	return { ...like, id, tokenSymbol: symbol, tokenName: `${symbol} token`, deployments };
}

function lookalikeOf(ticker: string): string {
	const at = [...ticker].findIndex((letter) => letter in LOOKALIKES);
	if (at < 0) throw new Error(`${ticker} has no letter that looks like another`);
	return `${ticker.slice(0, at)}${LOOKALIKES[ticker[at] ?? ""]}${ticker.slice(at + 1)}`;
}

function written(multiplier: bigint): string {
	const [whole, part = ""] = formatUnits(multiplier, 18).split(".");
	return `${whole}.${part.padEnd(18, "0")}`;
}

function timeOf(ms: number): string {
	return new Date(ms).toISOString();
}
