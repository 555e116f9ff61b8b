import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Chat } from "@ai-sdk/react";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { DefaultChatTransport } from "ai";
import { runCommand } from "#api/cli/runCommand.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { type ModelEmulator, startModelEmulator } from "#test/sandbox/model/startModelEmulator.ts";

// Guarantee: what a plugin can do for the agent is there in every channel, without a line of ours
// for it; and no channel does more than its caller may.

let model: ModelEmulator;
let service: TestService;
beforeAll(async () => {
	model = startModelEmulator();
	service = await startTestService({
		env: {
			PLUGINS: join(import.meta.dir, "tidePlugin.ts"),
			OPENAI_BASE_URL: model.url,
			AGENT_MODEL: "scripted",
		},
	});
});
afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await model?.stop();
});

const TIDE = { place: "harbor", water: "high", atMs: expect.any(Number) };

async function command(text: string) {
	const response = await fetch(`${service.url}/v1/agent/command`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ text }),
	});
	return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function ask(...args: string[]) {
	const out: string[] = [];
	const notes: string[] = [];
	const context = {
		env: { PLUGINS: join(import.meta.dir, "tidePlugin.ts") },
		out: (line: string) => void out.push(line),
		note: (line: string) => void notes.push(line),
	};
	const code = await runCommand(["ask", "--url", service.url, ...args], context);
	return { code, out, notes };
}

describe("[SOC-09] a plugin's command", () => {
	test("answers in the API, with the age of its figures", async () => {
		const { status, body } = await command("tide at harbor");
		expect(status).toBe(200);
		expect(body).toMatchObject({ kind: "done", command: "tide harbor", data: TIDE, code: null });
		expect(body["line"]).toMatch(/^harbor: water high · \d+ s ago$/);
	});

	test("answers in chat", async () => {
		const api = `${service.url}/v1/agent/chat`;
		const chat = new Chat({ transport: new DefaultChatTransport({ api }) });
		await chat.sendMessage({ text: "tide harbor" });
		expect(chat.lastMessage?.parts).toMatchObject([
			{ type: "tool-read_tide", state: "output-available", output: TIDE },
			{ type: "text", text: expect.stringContaining("harbor: water high") },
			{ type: "data-reply", data: { kind: "done" } },
		]);
	});

	test("answers over MCP", async () => {
		const client = new Client({ name: "test", version: "1" });
		const url = new URL(`${service.url}/v1/agent/mcp`);
		await client.connect(new StreamableHTTPClientTransport(url));
		const { tools } = await client.listTools();
		expect(tools.find(({ name }) => name === "read_tide")).toMatchObject({
			title: "Tide",
			annotations: { readOnlyHint: true },
		});
		// Nothing that moves something is there, whoever added it.
		const { tools: all } = (await service.get("/v1/agent/tools")).body;
		const open = all.filter((one: any) => one.effect === "read" && one.access === "everybody");
		expect(tools.map(({ name }) => name).sort()).toEqual(open.map(({ name }: any) => name));
		const answer = await client.callTool({ name: "read_tide", arguments: { place: "harbor" } });
		expect(answer.structuredContent).toEqual(TIDE);
		await client.close();
	});

	test("answers in a terminal, with an exit code", async () => {
		const good = await ask("tide", "harbor");
		expect(good).toMatchObject({ code: 0, notes: [] });
		expect(good.out[0]).toStartWith("harbor: water high");
		const bad = await ask("tide");
		expect(bad.code).toBe(1);
		const gone = runCommand(["ask", "--url", "http://127.0.0.1:1", "x"], {
			env: {},
			out: () => {},
			note: () => {},
		});
		await expect(gone).rejects.toMatchObject({ code: "ask_failed" });
	});

	test("has its line of help, and its tool is listed with schemas", async () => {
		const { body } = await command("help tide");
		expect(body["line"]).toContain("Whether the water is high or low");
		expect((await command("help tides")).body["data"]).toMatchObject({
			commands: [{ command: "tide", examples: ["tide harbor"], access: "everybody" }],
		});
		const { tools } = (await service.get("/v1/agent/tools")).body;
		expect(tools.find(({ name }: any) => name === "read_tide")).toMatchObject({
			commands: ["tide <place>"],
			inputSchema: { type: "object", required: ["place"] },
		});
	});

	test("is what the model may write, of words that were said", async () => {
		model.fault({ kind: "hostile", command: "tide harbor", times: 2 });
		const told = await command("is the water up at the harbor, you think");
		expect(told.body).toMatchObject({ kind: "done", command: "tide harbor", isProposal: true });
		expect((await command("is the water up, you think")).body).toMatchObject({ kind: "help" });
		model.fault({ kind: "hostile", times: 1 });
		const { out, notes } = await ask("please be so kind");
		expect({ notes, isHelp: out[0]?.includes("Try") }).toEqual({ notes: [], isHelp: true });
	});
});
