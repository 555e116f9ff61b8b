import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import twitter from "twitter-text";
import { z } from "zod";
import { agentConfig } from "#agent/agentConfig.ts";
import { jsonSchema, openAgent, refuseMisfits } from "#agent/openAgent.ts";
import { author, guest, NOW_MS } from "#agent/testing/agentLab.ts";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { Fault } from "#core/fault.ts";
import { httpFault } from "#core/http/faults.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { Collected } from "#core/plugin/Plugin.ts";
import { type AnyTool, type Command, defineTool, type ToolAnswer } from "#core/plugin/Tool.ts";

describe("openAgent", () => {
	type Said = { kind: "done" | "choose" | "fault"; text: string; ageMs: number | null };

	/** Makes an agent with one tool that answers what the test sets. */
	function sayingAgent(env: Record<string, unknown> = {}) {
		const said: { now: Said } = { now: { kind: "done", text: "", ageMs: null } };
		const clock = { nowMs: () => NOW_MS };
		const tool = defineTool({
			name: "read_saying",
			title: "Saying",
			description: "Says something.",
			capability: "sayings",
			effect: "read",
			access: "everybody",
			input: z.strictObject({ name: z.string() }),
			output: z.strictObject({ text: z.string() }),
			async run(): Promise<ToolAnswer<{ text: string }>> {
				const { kind, text } = said.now;
				if (kind === "fault") throw httpFault.conflict({ public: text });
				if (kind === "done") return { kind, output: { text } };
				return { kind, question: text, slot: "name", choices: [{ value: "other", label: text }] };
			},
			line: ({ text }) => text,
			asOfMs: () => (said.now.ageMs === null ? null : NOW_MS - said.now.ageMs),
		});
		const command = {
			name: "saying",
			forms: ["saying {name}"],
			slots: { name: { kind: "collection" as const } },
			tool: tool.name,
			summary: "Says something.",
			examples: ["saying kiln-folk"],
		};
		const collected: Collected = {
			tools: [tool],
			commands: [command],
			names: [],
			callerOf: async () => null,
		};
		const agent = openAgent({
			collected,
			core: {
				clock,
				log: silentLog,
				budget: inProcessBudget({ clock }),
				metrics: createMetrics({ processMetrics: false }),
				chains: createChainRegistry(builtinChains),
			},
			config: agentConfig.parse(env),
			ending: new AbortController().signal,
		});
		const ask = (text: string, caller = guest) =>
			agent.handle({ text, caller, idempotencyKey: null, signal: new AbortController().signal });
		return { said, ask, agent };
	}

	const anyText = fc.oneof(
		fc.string({ unit: "binary", maxLength: 400 }),
		fc.string({ unit: "grapheme", maxLength: 300 }),
		fc
			.array(fc.constantFrom("猫", "👩‍👩‍👧‍👦", "word ", "1,234.5 ", "@x ", "a.bc "), {
				maxLength: 200,
			})
			.map((parts) => parts.join("")),
	);

	test("[SOC-05] every reply is one line of at most 200 characters, and of MAX_REPLY_LENGTH, with its age", async () => {
		const says = fc.record({
			kind: fc.constantFrom("done" as const, "choose" as const, "fault" as const),
			text: anyText,
			ageMs: fc.option(fc.integer({ min: 0, max: 1e10 })),
		});
		for (const [env, most] of [
			[{}, 200],
			[{ MAX_REPLY_LENGTH: 250 }, 200],
			[{ MAX_REPLY_LENGTH: 100 }, 100],
		] as const) {
			const { said, ask } = sayingAgent(env);
			const check = fc.asyncProperty(says, anyText, async (saying, typed) => {
				said.now = saying;
				const reply = await ask("saying kiln-folk");
				for (const { line } of [reply, await ask(typed), await ask("help")]) {
					expect([...line].length).toBeLessThanOrEqual(most);
					expect(twitter.parseTweet(line).weightedLength).toBeLessThanOrEqual(most);
					expect(line).not.toMatch(/[\r\n\u2028\u2029]/);
				}
				const isAged = saying.kind === "done" && saying.ageMs !== null;
				expect(/ · \d+ (s|min|h|d) ago$/.test(reply.line)).toBe(isAged);
				// The same output always gives the same line.
				expect((await ask("saying kiln-folk")).line).toBe(reply.line);
			});
			await fc.assert(check, { numRuns: 150, seed: 33 });
		}
	});

	test("free text is answered with help if there is no model, or no tokens are left", async () => {
		for (const env of [{}, { AGENT_MODEL: "any", AGENT_MODEL_DAILY_TOKENS_MAX: 0 }]) {
			const reply = await sayingAgent(env).ask("what would you say of that", author);
			expect(reply).toMatchObject({ kind: "help", tool: null, isProposal: false });
		}
	});

	test("help is a tool and a command like any other", async () => {
		const { agent, ask } = sayingAgent();
		expect(agent.tools.map(({ name }) => name)).toEqual(["read_saying", "read_help"]);
		expect((await ask("help saying")).line).toBe('saying: Says something. Try "saying kiln-folk"');
	});
});

describe("refuseMisfits", () => {
	const tool = (more: Partial<AnyTool>): AnyTool => ({
		...defineTool({
			name: "read_floor",
			title: "Floor",
			description: "",
			capability: "market",
			effect: "read",
			access: "everybody",
			input: z.strictObject({}),
			output: z.strictObject({}),
			run: async () => ({ kind: "done", output: {} }),
			line: () => "",
			asOfMs: () => null,
		}),
		...more,
	});
	const command = (more: Partial<Command>): Command => ({
		name: "floor",
		forms: ["floor"],
		slots: {},
		tool: "read_floor",
		summary: "",
		examples: [],
		...more,
	});

	function problems(tools: readonly AnyTool[], commands: readonly Command[] = []): string {
		try {
			refuseMisfits(tools, commands);
			return "none";
		} catch (error) {
			return error instanceof Fault ? error.publicDetail : String(error);
		}
	}

	test("tools and commands that fit each other are accepted", () => {
		const send = tool({ name: "send", effect: "execute", access: "profile" });
		const prepare = tool({ name: "prepare_send", effect: "prepare", access: "profile" });
		const sends = command({ name: "send", tool: "send", prepares: "prepare_send" });
		expect(problems([tool({}), send, prepare], [command({}), sends])).toBe("none");
	});

	test("a schema with a name is documented as the object that it describes", () => {
		const named = z.object({ id: z.string() }).meta({ id: "NamedForThisTest" });
		expect(problems([tool({ output: named })])).toBe("none");
		expect(jsonSchema(named)).toMatchObject({ type: "object", required: ["id"] });
		const inside = jsonSchema(z.object({ one: named }));
		expect(inside).toMatchObject({ properties: { one: { $ref: "#/$defs/NamedForThisTest" } } });
	});

	test("all mismatches of tools and commands are reported together", () => {
		const said = problems(
			[
				tool({}),
				tool({ name: "Read Floor" }),
				tool({ name: "send", effect: "execute" }),
				tool({ name: "odd", input: z.string(), output: z.bigint() }),
				tool({ name: "odd" }),
			],
			[
				command({}),
				command({ name: "gone", tool: "nothing" }),
				command({ name: "send", tool: "send", prepares: "read_floor" }),
				command({ name: "send", tool: "send", prepares: "send" }),
			],
		);
		for (const part of [
			'"Read Floor" is no name of a tool',
			'the tool "send" changes something for whoever is not signed in',
			'the input of the tool "odd" is no object',
			'the output of the tool "odd" cannot be written as JSON Schema',
			'two tools are called "odd"',
			'two commands are called "send"',
			'the command "gone" runs "nothing", which is no tool',
			'the command "send" prepares by "read_floor", which does not prepare',
			'the command "send" prepares by "send", which does not prepare',
		]) {
			expect(said).toContain(part);
		}
	});
});
