// Opens the provider over a chain with history, for its own tests.

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Abi, type AbiFunction, concatHex, encodeFunctionData, type Hex } from "viem";
import { z } from "zod";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import { createRpc, type Rpc } from "../../createRpc.ts";
import { openMarketChain } from "../../openChain.ts";
import { seaportAbi } from "../../seaportOrder.ts";
import {
	type EmulatorOptions,
	type ProviderEmulator,
	startProviderEmulator,
} from "../startProviderEmulator.ts";

export type FulfilmentAnswer = {
	fulfillment_data: {
		transaction: {
			function: string;
			chain: number;
			to: Hex;
			value: string;
			input_data: Record<string, unknown>;
			calldata_suffix?: Hex;
		};
	};
};

export type Lab = Awaited<ReturnType<typeof openLab>>;

export type TestSocket = {
	/** Every frame so far, as received. */
	frames: any[];
	send(frame: unknown): void;
	/** Returns the first matching frame, received already or later. */
	next(fits: (frame: any) => boolean): Promise<any>;
	closed: Promise<number>;
	close(): void;
};

const Schema = z.record(z.string(), z.any());

type Schema = z.infer<typeof Schema>;

const Document = z.object({
	paths: z.record(z.string(), z.record(z.string(), z.any())),
	components: z.object({ schemas: z.record(z.string(), Schema) }),
});

const require = createRequire(import.meta.url);
const document = Document.parse(require("@opensea/api-types/opensea-api.json"));

/** Opens a sandbox chain without traffic, with an emulator that changes only on request. */
export async function openLab(historyBlocks = 60) {
	const dataDir = mkdtempSync(join(tmpdir(), "provider-"));
	const sandbox = await openMarketChain({ dataDir, seed: 11, historyBlocks });
	const rpc = createRpc(sandbox.httpUrl);
	const emulators: ProviderEmulator[] = [];
	const start = (options: Partial<EmulatorOptions> = {}): ProviderEmulator => {
		const emulator = startProviderEmulator({
			rpcUrl: sandbox.httpUrl,
			seed: 11,
			pollMs: 0,
			...options,
		});
		emulators.push(emulator);
		return emulator;
	};
	const emulator = start();
	await emulator.sync();
	return {
		sandbox,
		rpc,
		emulator,
		start,
		get: (path: string) => ask(emulator, path),
		post: (path: string, body: unknown) => ask(emulator, path, body),
		send: (from: string, call: { to: Hex; data: Hex; value?: Hex }) => send(rpc, { from, ...call }),
		/** Requests a fulfilment, and simulates it on the chain. */
		async simulate(path: string, from: string, body: Record<string, unknown>) {
			const asked = { fulfiller: { address: from }, ...body };
			const { body: answer } = await ask(emulator, path, asked);
			const call = encodeFulfilment(answer as FulfilmentAnswer);
			const gas = "0x200000";
			return { call, result: await rpc.call("eth_call", [{ from, gas, ...call }, "latest"]) };
		},
		async close() {
			await Promise.all(emulators.map((one) => one.stop()));
			await sandbox.stop();
			rmSync(dataDir, { recursive: true, force: true });
		},
	};
}

/**
 * Returns what the provider's own OpenAPI document does not allow in an answer: missing members, or
 * wrong types. `path` is as the document writes it.
 */
export function documentMistakes(call: { method: "get" | "post"; path: string }, answer: unknown) {
	const operation = document.paths[`/api/v2${call.path}`]?.[call.method];
	const response = operation?.responses["200"] ?? operation?.responses["201"];
	if (!response) return [`the document has no ${call.method} ${call.path}`];
	const [content] = Object.values(z.record(z.string(), z.any()).parse(response.content));
	if (!content?.schema) return [];
	return mistakes(content.schema, answer, call.path);
}

/** Encodes a fulfilment as a client does: by the function's name and the members of the input. */
export function encodeFulfilment({ fulfillment_data: { transaction } }: FulfilmentAnswer) {
	const name = transaction.function.split("(")[0] ?? "";
	const abi: Abi = seaportAbi;
	const item = abi.find((one): one is AbiFunction => one.type === "function" && one.name === name);
	const args = (item?.inputs ?? []).map((input) =>
		revive(transaction.input_data[input.name ?? ""]),
	);
	const data = encodeFunctionData({ abi, functionName: name, args });
	const value = `0x${BigInt(transaction.value).toString(16)}` as Hex;
	return {
		to: transaction.to,
		value,
		data: concatHex([data, transaction.calldata_suffix ?? "0x"]),
	};
}

/** Opens a client of the stream that stores its frames. */
export async function openSocket(url: string): Promise<TestSocket> {
	const frames: any[] = [];
	const waiting = new Set<() => void>();
	const socket = new WebSocket(url);
	const closed = new Promise<number>((resolve) => {
		socket.addEventListener("close", (event) => resolve(event.code));
	});
	socket.onmessage = (event) => {
		frames.push(JSON.parse(String(event.data)));
		for (const look of waiting) look();
	};
	await new Promise<void>((resolve, reject) => {
		socket.onopen = () => resolve();
		socket.onerror = () => reject(new Error(`${url} did not open`));
	});
	return {
		frames,
		closed,
		send: (frame) => socket.send(JSON.stringify(frame)),
		close: () => socket.close(),
		next: (fits) =>
			new Promise((resolve, reject) => {
				const failed = () => reject(new Error(`no such frame in ${JSON.stringify(frames)}`));
				const timer = setTimeout(failed, WAIT_LIMIT_MS);
				const look = () => {
					const found = frames.find(fits);
					if (found === undefined) return;
					clearTimeout(timer);
					waiting.delete(look);
					resolve(found);
				};
				waiting.add(look);
				look();
			}),
	};
}

async function ask(emulator: ProviderEmulator, path: string, body?: unknown) {
	const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
	const response = await fetch(`${emulator.url}/api/v2${path}`, init);
	return { status: response.status, body: (await response.json()) as any };
}

async function send(rpc: Rpc, tx: { from: string; to: Hex; data: Hex; value?: Hex }): Promise<Hex> {
	const hash = (await rpc.call("eth_sendTransaction", [{ gas: "0x200000", ...tx }])) as Hex;
	for (;;) {
		const receipt: any = await rpc.call("eth_getTransactionReceipt", [hash]);
		if (receipt && receipt.status !== "0x1") throw new Error(`${hash} reverted`);
		if (receipt) return hash;
	}
}

function mistakes(schema: Schema, value: unknown, at: string): string[] {
	const name = schema["$ref"]?.split("/").at(-1);
	if (name) return mistakes(document.components.schemas[name] ?? {}, value, at);
	if (schema["oneOf"]) {
		const tries = schema["oneOf"].map((one: Schema) => mistakes(one, value, at));
		return tries.some((found: string[]) => found.length === 0) ? [] : (tries[0] ?? []);
	}
	const own = schema["allOf"]
		? schema["allOf"].flatMap((one: Schema) => mistakes(one, value, at))
		: [];
	return [...own, ...shapeMistakes(schema, value, at)];
}

function shapeMistakes(schema: Schema, value: unknown, at: string): string[] {
	const isObject = schema["properties"] || schema["required"];
	if (schema["type"] === "array") {
		if (!Array.isArray(value)) return [`${at} is no array`];
		return value.flatMap((item, n) => mistakes(schema["items"], item, `${at}[${n}]`));
	}
	if (isObject) {
		if (typeof value !== "object" || value === null) return [`${at} is no object`];
		const entries = new Map(Object.entries(value));
		const required: string[] = schema["required"] ?? [];
		const missing = required.filter((key) => entries.get(key) == null);
		const inner = Object.entries<Schema>(schema["properties"] ?? {}).flatMap(([key, one]) =>
			entries.get(key) == null ? [] : mistakes(one, entries.get(key), `${at}.${key}`),
		);
		return [...missing.map((key) => `${at}.${key} is missing`), ...inner];
	}
	const type = schema["type"] === "integer" ? "number" : schema["type"];
	if (["string", "number", "boolean"].includes(type) && typeof value !== type) {
		return [`${at} is a ${typeof value}, not a ${type}`];
	}
	return [];
}

function revive(value: unknown): unknown {
	if (typeof value === "string" && /^\d+$/.test(value)) return BigInt(value);
	if (Array.isArray(value)) return value.map(revive);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revive(inner)]));
}
