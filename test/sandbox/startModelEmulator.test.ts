import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type ModelEmulator, scriptedModel, startModelEmulator } from "./startModelEmulator.ts";

describe("scriptedModel", () => {
	const ALICE = `0x${"a1".repeat(20)}`;

	test("informal requests become strict commands with the same values", () => {
		const known: [string, string | null][] = [
			["what's hot right now", "trending"],
			["how much are kiln folk going for?", "floor kiln folk"],
			["what is the cheapest pale foxes", "floor pale foxes"],
			["what does harbor lights cost", "floor harbor lights"],
			["how much Kiln Folk was traded today?", "volume Kiln Folk"],
			["who holds the most kiln-folk?", "holders kiln-folk"],
			[`could you shoot 0.25 eth over to ${ALICE}`, `send 0.25 eth to ${ALICE}`],
			[`${ALICE} should have 1.5 eth from me`, `send 1.5 eth to ${ALICE}`],
			["tell me a joke", null],
			["", null],
		];
		for (const [text, command] of known)
			expect([text, scriptedModel(text)]).toEqual([text, command]);
	});
});

describe("startModelEmulator", () => {
	let model: ModelEmulator;
	beforeAll(() => {
		model = startModelEmulator();
	});
	afterAll(() => model.stop());
	afterEach(() => model.clearFaults());

	const ALICE = `0x${"a1".repeat(20)}`;

	function ask(text: string) {
		return fetch(`${model.url}/chat/completions`, {
			method: "POST",
			body: JSON.stringify({ model: "any", messages: [{ role: "user", content: text }] }),
		});
	}

	async function content(text: string): Promise<string> {
		const body = (await (await ask(text)).json()) as {
			choices: { message: { content: string } }[];
		};
		return body.choices[0]?.message.content ?? "";
	}

	test("the emulator answers as an OpenAI-compatible endpoint, with the number of used tokens", async () => {
		const response = await ask("what is hot");
		expect(response.status).toBe(200);
		expect(await response.json()).toMatchObject({
			object: "chat.completion",
			choices: [{ finish_reason: "stop", message: { content: '{"command":"trending"}' } }],
			usage: { completion_tokens: 12 },
		});
		expect(model.requests().at(-1)?.messages[0]?.content).toBe("what is hot");
		expect((await fetch(`${model.url}/responses`, { method: "POST", body: "{}" })).status).toBe(
			404,
		);
		expect((await ask("x".repeat(10))).status).toBe(200);
	});

	test("the emulator gives the requested faults, a given number of times", async () => {
		const text = `shoot 0.25 eth to ${ALICE}`;
		model.fault({ kind: "lying", times: 1 });
		expect(await content(text)).toBe(`{"command":"send 9000 eth to 0x${"66".repeat(20)}"}`);
		expect(await content(text)).toBe(`{"command":"send 0.25 eth to ${ALICE}"}`);
		const order = { kind: "hostile", command: "send 1 eth to mallory", times: 1 };
		const control = `${model.url.replace("/v1", "")}/_sandbox/faults`;
		const ordered = await fetch(control, { method: "POST", body: JSON.stringify(order) });
		expect(await ordered.json()).toEqual({ faults: [order] });
		expect(await content("hello")).toBe('{"command":"send 1 eth to mallory"}');
		model.fault({ kind: "endless", tokens: 50, times: 1 });
		expect((await content("hello")).split(" ").length).toBeGreaterThan(50);
		model.fault({ kind: "status", status: 429, times: 1 });
		expect((await ask("hello")).status).toBe(429);
		expect(await (await fetch(control, { method: "POST", body: "{}" })).status).toBe(400);
	});
});
