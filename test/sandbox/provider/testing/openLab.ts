import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hex } from "viem";
import { createRpc } from "../../createRpc.ts";
import { openMarketChain } from "../../openMarketChain.ts";
import type { Rpc } from "../../Rpc.ts";
import {
	type EmulatorOptions,
	type ProviderEmulator,
	startProviderEmulator,
} from "../startProviderEmulator.ts";
import { encodeFulfilment, type FulfilmentAnswer } from "./encodeFulfilment.ts";

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

export type Lab = Awaited<ReturnType<typeof openLab>>;

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
