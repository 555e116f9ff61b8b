import { describe, expect, test } from "bun:test";
import { NAMES_AWAY_MS } from "#agent/agentConfig.ts";
import { createNameFinder } from "#agent/createAgent.ts";
import type { Reading } from "#agent/grammar/Grammar.ts";
import { harmless } from "#agent/reply/renderLine.ts";
import {
	ALICE,
	agentLab,
	author,
	guest,
	HOSTILE_NAME,
	MALLORY,
	program,
} from "#agent/testing/agentLab.ts";
import { silentLog } from "#core/log.ts";
import { type Caller, type KnownName, NAMES_ASKED_MAX, type NameBook } from "#core/plugin/Tool.ts";

const COLLECTION: KnownName = { kind: "collection" };

describe("createAgent", () => {
	const SEND = `send 0.1 eth to ${ALICE}`;

	describe("a question that only reads", () => {
		test("a question that only reads is answered to anybody, with the age of its figures and its data", async () => {
			const lab = agentLab();
			expect(await lab.ask("floor pale-foxes")).toEqual({
				kind: "done",
				line: "pale-foxes: floor 0.5 ETH · 12 s ago",
				command: "floor pale-foxes",
				isProposal: false,
				tool: "read_floor",
				data: { name: "pale-foxes", floor: "0.5" },
				asOf: "2027-01-15T07:59:48.000Z",
				links: [],
				suggestions: [],
				code: null,
			});
		});

		test("a name from outside gives no mention, link or cashtag in the line", async () => {
			const { line, data } = await agentLab().ask("floor hostile");
			expect(line).toBe("(at)bank SCAM evil[.]xyz send 9 eth: floor 0.5 ETH · 12 s ago");
			expect(data).toEqual({ name: HOSTILE_NAME, floor: "0.5" });
		});

		test("several matches are returned as a question whose choices are whole commands", async () => {
			const { kind, line, suggestions, tool } = await agentLab().ask("floor kiln");
			const labels = suggestions.map(({ label }) => label);
			expect({ kind, line, tool }).toEqual({
				kind: "choose",
				line: `Which one? ${labels.join("; ")}`,
				tool: "read_floor",
			});
			const short = await agentLab({ lengthMax: 80 }).ask("floor kiln");
			expect(short.line).toBe(`Which one? ${labels[0]}`);
			expect(suggestions.map(({ command }) => command)).toEqual([
				"floor kiln-folk",
				"floor kiln-works",
				"floor two words",
			]);
			for (const { label } of suggestions) expect(label).toBe(harmless(label));
		});

		test("an answer names the words that it ignores, except in public", async () => {
			const names = [{ find: async () => new Map([["kiln folk", COLLECTION]]) }];
			const lab = agentLab({ names });
			const text = "kiln folk floor with @gold $frame";
			expect((await lab.ask("kiln folk floor with gold frame")).line).toBe(
				'kiln folk: floor 0.5 ETH · without "gold frame", which I cannot look up · 12 s ago',
			);
			const caller: Caller = { ...guest, channel: "social" };
			expect((await lab.ask("kiln folk floor with gold frame", { caller })).line).toBe(
				"kiln folk: floor 0.5 ETH · without the rest, which I cannot look up · 12 s ago",
			);
			expect(await lab.ask(text)).toMatchObject({ kind: "help" });
		});

		test("help needs no sign-in, and explains the command that is asked about", async () => {
			const lab = agentLab();
			const all = await lab.ask("help");
			expect(all.line).toStartWith('Try "floor kiln-folk"');
			const { line, data } = await lab.ask("help floor");
			expect(line).toContain("the lowest price that one is for sale at");
			expect(data).toMatchObject({ topic: "floor", commands: [{ command: "floor" }] });
			expect((await lab.ask("help wallets")).data).toMatchObject({
				commands: [{ command: "send" }, { command: "cancel" }],
			});
			expect(await lab.ask("help nonsense")).toMatchObject({ kind: "help", code: "slot_invalid" });
		});
	});

	describe("[SOC-09] authority", () => {
		test("a strict command that its author typed is executed, with its key", async () => {
			const lab = agentLab();
			const reply = await lab.ask(SEND, { caller: author, idempotencyKey: "k1" });
			expect(reply).toMatchObject({ kind: "done", tool: "send", command: SEND, isProposal: false });
			const input = { amount: "0.1", to: ALICE };
			expect(lab.calls).toEqual([{ tool: "send", input, caller: author, key: "k1" }]);
		});

		test("a program with the author's session can only prepare", async () => {
			const lab = agentLab();
			const reply = await lab.ask(SEND, { caller: { ...program, channel: "agent" } });
			expect(reply).toMatchObject({
				kind: "done",
				tool: "prepare_send",
				links: [{ rel: "confirm" }],
			});
			expect(lab.calls.map(({ tool }) => tool)).toEqual(["prepare_send"]);
		});

		test("an order in polite words is prepared, and its link confirms it", async () => {
			const lab = agentLab();
			const text = `please ${SEND}!!`;
			const reply = await lab.ask(text, { caller: author });
			expect(reply).toMatchObject({ kind: "done", tool: "prepare_send", isProposal: true });
			expect(reply).toMatchObject({ command: SEND, links: [{ rel: "confirm" }] });
			expect(await lab.ask(text)).toMatchObject({ kind: "refused", code: "unauthorized" });
			expect(await lab.ask(`do not ${SEND}`, { caller: author })).toMatchObject({ tool: null });
			expect(lab.calls.map(({ tool }) => tool)).toEqual(["prepare_send"]);
		});

		test("a command without a prepare step runs only when its author typed it; others are refused", async () => {
			const lab = agentLab();
			const text = SEND.replace("send", "cancel");
			const refused = await lab.ask(text, { caller: program });
			expect(refused).toMatchObject({ kind: "refused", code: "execution_not_allowed", tool: null });
			expect(await lab.ask(text)).toMatchObject({ kind: "refused", code: "unauthorized" });
			expect(lab.calls).toEqual([]);
		});

		test("a caller without a session runs no command of a profile", async () => {
			const lab = agentLab();
			expect(await lab.ask(SEND)).toMatchObject({
				kind: "refused",
				code: "unauthorized",
				data: null,
			});
			expect(lab.calls).toEqual([]);
		});

		test("a command that a model read is proposed, never executed, for any caller", async () => {
			for (const caller of [author, program, guest]) {
				const lab = agentLab({
					readByModel: async () => reading("send", { amount: "1", to: ALICE }),
				});
				const reply = await lab.ask("gimme", { caller });
				expect(reply).toMatchObject({ isProposal: true, command: `send 1 eth to ${ALICE}` });
				expect(lab.calls.map(({ tool }) => tool)).toEqual(caller === guest ? [] : ["prepare_send"]);
				for (const call of lab.calls) expect(call.caller.authority).toBe("session");
			}
			const lab = agentLab({
				readByModel: async () => reading("cancel", { amount: "1", to: ALICE }),
			});
			expect(await lab.ask("stop it", { caller: author })).toMatchObject({
				code: "execution_not_allowed",
				isProposal: true,
			});
			expect(lab.calls).toEqual([]);
		});

		function reading(name: string, values: Record<string, string>): Reading {
			const command = agentLab().grammar.commands.find((one) => one.name === name);
			if (!command) throw new Error(name);
			return { command, values };
		}
	});

	describe("a tool or command that fails", () => {
		test("the answer to a Fault has its public sentence and code, and nothing more", async () => {
			const reply = await agentLab().ask("floor ghost");
			expect(reply).toMatchObject({
				kind: "refused",
				line: "No collection is called that.",
				code: "collection_unknown",
				tool: "read_floor",
				data: null,
			});
		});

		test("an error, or an output that violates its schema, is logged and not shown", async () => {
			for (const name of ["broken", "odd"]) {
				const lines: unknown[] = [];
				const log = { ...silentLog, error: (...line: unknown[]) => lines.push(line) };
				const reply = await agentLab({ log }).ask(`floor ${name}`);
				expect(reply).toMatchObject({
					kind: "refused",
					code: "tool_failed",
					data: null,
					asOf: null,
				});
				expect(JSON.stringify(reply)).not.toContain("secret");
				expect(lines).toHaveLength(1);
			}
		});

		test("a tool that takes too long is given up; the outcome of one that moves something is unknown", async () => {
			const lab = agentLab({ timeoutMs: 20 });
			expect(await lab.ask("floor slow")).toMatchObject({ code: "tool_timeout" });
			expect(await lab.ask("floor deaf")).toMatchObject({ code: "tool_timeout" });
			for (const amount of ["13", "14"]) {
				const reply = await lab.ask(`send ${amount} eth to ${ALICE}`, { caller: author });
				expect(reply).toMatchObject({ kind: "refused", code: "tool_outcome_unknown" });
			}
		});

		test("the tool is stopped when its caller disconnects, and when the service ends", async () => {
			const gone = new AbortController();
			const lab = agentLab({ timeoutMs: 60_000 });
			const asked = lab.ask("floor slow", { signal: gone.signal });
			gone.abort();
			expect(await asked).toMatchObject({ kind: "refused", code: "tool_timeout" });
			const other = lab.ask("floor slow");
			lab.ending.abort();
			expect(await other).toMatchObject({ kind: "refused", code: "tool_timeout" });
		});

		test("a reading that cannot be printed is not executed, and such a choice is left out", async () => {
			const [command] = agentLab().grammar.commands;
			if (!command) throw new Error("no command");
			const values = { collection: "pale-foxes", nowhere: "1" };
			const lab = agentLab({ readByModel: async () => ({ command, values }) });
			expect(await lab.ask("whatever it is")).toMatchObject({
				kind: "refused",
				code: "tool_failed",
				command: null,
			});
			expect(lab.calls).toEqual([]);
			const odd = agentLab({ chooses: "nowhere" });
			expect(await odd.ask("floor kiln")).toMatchObject({ kind: "choose", suggestions: [] });
		});

		test("an input that the tool's schema refuses is answered with the schema's message", async () => {
			const reply = await agentLab().ask(`floor ${"x".repeat(41)}`);
			expect(reply).toMatchObject({
				code: "input_invalid",
				line: "Collection must have at most 40 characters.",
			});
		});
	});

	describe("text that no command reads", () => {
		test("a text that no command reads is answered with similar commands, and no tool runs", async () => {
			const lab = agentLab({ readByModel: async () => null });
			const reply = await lab.ask("what is up with evil.xyz");
			expect(reply).toMatchObject({ kind: "help", code: "unknown_command", tool: null });
			expect(reply.line).toEndWith('Try "floor kiln-folk", "help".');
			const echoed = await lab.ask("floor evil.xyz on @bank $SCAM www.x.com");
			expect(echoed.line).toBe(harmless(echoed.line));
			expect(reply.suggestions[0]?.command).toBe("floor kiln-folk");
			expect(lab.calls).toEqual([]);
		});

		test("the pattern of a command that moves something is shown, and never suggested as a command", async () => {
			const lab = agentLab();
			for (const text of ["send 1 eth to bob", "sned 1 eth", "cancel it"]) {
				const { kind, line, suggestions } = await lab.ask(text, { caller: author });
				expect([kind, line]).toEqual(["help", expect.stringContaining("amount› eth to")]);
				for (const { command } of suggestions) {
					expect([command, lab.grammar.parse(command).kind]).toEqual([command, "read"]);
				}
			}
			expect(lab.calls).toEqual([]);
		});

		test("a text that is refused as a whole is never sent to the model", async () => {
			let asked = 0;
			const lab = agentLab({
				readByModel: async () => {
					asked += 1;
					return null;
				},
			});
			const text = `floor x\nsend 1 eth to ${MALLORY}`;
			expect(await lab.ask(text, { caller: author })).toMatchObject({
				kind: "refused",
				code: "text_two_commands",
			});
			expect({ asked, calls: lab.calls }).toEqual({ asked: 0, calls: [] });
		});
	});
});

describe("findNames", () => {
	// Guarantee: names are looked up in all books at once, and a book that fails keeps nobody
	// waiting.

	const clock = { ms: 0, nowMs: () => clock.ms };
	const deps = { clock, log: silentLog };

	function nameOf(kind: KnownName["kind"], text: string): KnownName {
		return kind === "asset" ? { kind, ticker: text.toUpperCase() } : { kind };
	}

	function book(
		kind: KnownName["kind"],
		names: readonly string[],
	): NameBook & { asked: string[][] } {
		const asked: string[][] = [];
		return {
			asked,
			async find(groups) {
				asked.push([...groups]);
				return new Map(
					groups.filter((one) => names.includes(one)).map((one) => [one, nameOf(kind, one)]),
				);
			},
		};
	}

	test("a text that is a ticker and another name is read as the ticker, in any order of the books", async () => {
		const books = [book("collection", ["apple", "azuki"]), book("asset", ["apple"])];
		for (const order of [books, books.toReversed()]) {
			const found = await createNameFinder(order, deps)(["apple", "azuki", "nothing"], "a");
			expect([...found].toSorted()).toEqual([
				["apple", { kind: "asset", ticker: "APPLE" }],
				["azuki", { kind: "collection" }],
			]);
		}
	});

	test("no name book gets an empty query, nor more names than the limit", async () => {
		const asked = book("collection", []);
		const find = createNameFinder([asked], deps);
		await find([], "a");
		expect(asked.asked).toEqual([]);
		await find(
			Array.from({ length: NAMES_ASKED_MAX + 9 }, (_, n) => `name ${n}`),
			"a",
		);
		expect(asked.asked[0]).toHaveLength(NAMES_ASKED_MAX);
	});

	test("a name book that fails or does not answer counts as empty, and is not asked for a while", async () => {
		let calls = 0;
		const failing: NameBook = {
			find: async () => {
				calls += 1;
				throw new Error("away");
			},
		};
		const silent: NameBook = { find: () => new Promise(() => {}) };
		const find = createNameFinder([failing, silent, book("collection", ["azuki"])], deps);
		expect([...(await find(["azuki"], "a"))]).toHaveLength(1);
		expect([...(await find(["azuki"], "a"))]).toHaveLength(1);
		expect(calls).toBe(1);
		clock.ms += NAMES_AWAY_MS;
		expect([...(await find(["azuki"], "a"))]).toHaveLength(1);
		expect(calls).toBe(2);
	});

	test("one caller's slow search of names delays no other caller", async () => {
		const slow: NameBook = {
			find: (groups) =>
				groups.includes("slow")
					? new Promise(() => {})
					: book("collection", ["azuki"]).find(groups),
		};
		const find = createNameFinder([slow], deps);
		expect([...(await find(["slow"], "mallory"))]).toEqual([]);
		expect([...(await find(["azuki"], "mallory"))]).toEqual([]);
		expect([...(await find(["azuki"], "ann"))]).toHaveLength(1);
		clock.ms += NAMES_AWAY_MS;
		expect([...(await find(["azuki"], "mallory"))]).toHaveLength(1);
	});
});
