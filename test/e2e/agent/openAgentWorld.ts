import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { runCommand } from "#api/cli/runCommand.ts";
import { custodyEnv } from "#test/e2e/documents/startTradingService.ts";
import { openMarketLab } from "#test/harness/openMarketLab.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";
import { startModelEmulator } from "#test/sandbox/startModelEmulator.ts";

export type Said = { status: number; body: any };
export type SayOptions = { by?: string; key?: string; origin?: string };

const TIDE_PLUGIN = join(import.meta.dir, "tidePlugin.ts");

/**
 * Starts the whole service with a foreign plugin, over a sandbox chain, its marketplace, a wallet
 * provider and a scripted language model.
 */
export async function openAgentWorld(slug: string) {
	const model = startModelEmulator();
	const env: Record<string, string> = {
		PLUGINS: TIDE_PLUGIN,
		OPENAI_BASE_URL: model.url,
		AGENT_MODEL: "scripted",
		TRADING_DRY_RUN: "false",
		// Links are then absolute URLs, as the schemas of tools say.
		PUBLIC_URL: "https://app.example",
	};
	let custody: CustodyEmulator | undefined;
	const lab = await openMarketLab({
		only: [slug],
		env,
		async through(rpcUrl) {
			custody = await startCustodyEmulator({ rpcUrl });
			Object.assign(env, custodyEnv(custody));
			return rpcUrl;
		},
	});
	if (!custody) throw new Error("the lab asked nobody for its node");
	const { service } = lab;
	const tokenOf = (username: string) =>
		custody?.token({ userId: custody.person(username).id }) ?? "";
	const headersOf = ({ by, key, origin }: SayOptions) => ({
		"content-type": "application/json",
		...(by && { authorization: `Bearer ${tokenOf(by)}` }),
		...(key && { "idempotency-key": key }),
		...(origin && { origin }),
	});

	async function post(path: string, body: unknown, options: SayOptions = {}): Promise<Said> {
		const init = { method: "POST", headers: headersOf(options), body: JSON.stringify(body) };
		const response = await fetch(`${service.url}${path}`, init);
		return { status: response.status, body: await response.json() };
	}

	return {
		lab,
		model,
		service,
		custody,
		post,
		tokenOf,
		/** Returns the answer of `POST /v1/agent/command` to a text. */
		command: (text: string, options: SayOptions = {}) =>
			post("/v1/agent/command", { text }, options),
		/** Runs the same text in a terminal. */
		async ask(...args: string[]) {
			const out: string[] = [];
			const notes: string[] = [];
			const context = {
				env: { PLUGINS: TIDE_PLUGIN },
				out: (line: string) => void out.push(line),
				note: (line: string) => void notes.push(line),
			};
			const code = await runCommand(["ask", "--url", service.url, ...args], context);
			return { code, out, notes };
		},
		/** Connects the official client, with the session of the given person. */
		async mcp(by?: string): Promise<Client> {
			const client = new Client({ name: "test", version: "1" });
			const requestInit = { headers: by ? { authorization: `Bearer ${tokenOf(by)}` } : {} };
			const url = new URL(`${service.url}/v1/agent/mcp`);
			await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
			return client;
		},
		async close(): Promise<void> {
			await lab.close();
			await custody?.stop();
			await model.stop();
		},
	};
}

export type AgentWorld = Awaited<ReturnType<typeof openAgentWorld>>;
