import { expect, test } from "bun:test";
import { createLog, type LogLevel } from "#core/log.ts";

const clock = { nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) };

function capture(level: LogLevel = "debug", secrets: string[] = []) {
	const lines: string[] = [];
	const log = createLog({ level, clock, secrets, to: { write: (line) => lines.push(line) } });
	return { log, lines, objects: () => lines.map((line) => JSON.parse(line)) };
}

test("a line is one JSON object with level, ISO time, message and context", () => {
	const { log, lines, objects } = capture();
	log.info("a lane moved", { chain: "base", block: 12n });
	expect(lines[0]).toEndWith("\n");
	expect(objects()).toEqual([
		{
			level: "info",
			time: "2026-01-02T03:04:05.678Z",
			message: "a lane moved",
			chain: "base",
			block: "12",
		},
	]);
});

test("a line below the level is not written, and its context is not evaluated", () => {
	const { log, lines } = capture("warn");
	const context = {
		get costly(): string {
			throw new Error("read");
		},
	};
	log.debug("a", context);
	log.info("b", context);
	log.warn("c");
	log.error("d");
	expect(lines).toHaveLength(2);
});

test("the level silent writes nothing", () => {
	const { log, lines } = capture("silent");
	log.error("x");
	expect(lines).toEqual([]);
});

test("a child log adds its context to every line, and the line's own context wins", () => {
	const { log, objects } = capture();
	const chain = log.with({ chain: "base", lane: "mint" }).with({ lane: "sale" });
	chain.info("moved");
	chain.info("moved", { chain: "zora" });
	expect(objects()).toMatchObject([
		{ chain: "base", lane: "sale" },
		{ chain: "zora", lane: "sale" },
	]);
});

// Guarantee: nobody outside can write a line of their own, or two lines with one.
test("control characters from outside cannot break out of their field", () => {
	const { log, lines, objects } = capture();
	log.info("name read", {
		name: 'x"}\n{"level":"error"',
		level: "error",
		time: "now",
		message: "m",
	});
	expect(lines).toHaveLength(1);
	expect(lines[0]?.trim()).not.toContain("\n");
	expect(objects()[0]).toMatchObject({
		level: "info",
		level_: "error",
		time_: "now",
		message_: "m",
	});
	expect(lines[0]?.match(/"level":/g)).toHaveLength(1);
});

test("a context field named __proto__ is written as a field", () => {
	const { log, lines } = capture();
	log.info("x", JSON.parse('{"__proto__":{"polluted":1}}'));
	expect(lines[0]).toContain('"__proto__":{"polluted":1}');
	expect(Object.keys(Object.prototype)).toEqual([]);
});

test("secrets are removed from context, bound context and message [SEC-07]", () => {
	const { log, lines } = capture("debug", ["c4n4ry-known"]);
	log.with({ apiKey: "c4n4ry-key" }).error("cannot reach postgres://u:c4n4ry@h/db c4n4ry-known", {
		headers: { authorization: "Bearer c4n4ry-bearer" },
		error: new Error("connect postgres://svc:c4n4ry@h failed for c4n4ry-known"),
		nested: { "x-api-key": "c4n4ry" },
	});
	expect(lines.join("")).not.toContain("c4n4ry");
});

test("a secret is removed from nested errors, in any encoding", () => {
	const secret = "c4n4ry /+=%&'";
	const { log, lines } = capture("debug", [secret]);
	const inner = new Error(`GET https://h/x?y=${encodeURIComponent(secret)}`, {
		cause: new AggregateError([new Error(new URLSearchParams({ a: secret }).toString()), secret]),
	});
	Object.assign(inner, { body: JSON.stringify({ echoed: secret }), url: new URL("https://h/x") });
	log.with({ lane: encodeURI(secret) }).error("failed", {
		error: new Error("outer", { cause: inner }),
		map: new Map([[secret, 1]]),
	});
	expect(lines.join("")).toContain("[redacted]");
	expect(lines.join("")).not.toContain("c4n4ry");
});

test("a huge revert message makes a short line", () => {
	const { log, lines } = capture();
	const bomb = "r".repeat(4_000_575);
	log.error(bomb, { error: new Error(bomb), bomb });
	expect(lines[0]?.length).toBeLessThan(16_000);
});

test("lines are written to standard output before the process exits", async () => {
	const script = `
		import { createLog } from "#core/log.ts";
		import { systemClock } from "#core/clock.ts";
		const log = createLog({ level: "info", clock: systemClock });
		for (let index = 0; index < 200; index += 1) log.info("line", { index });
		process.exit(0);
	`;
	const child = Bun.spawn([process.execPath, "-e", script], {
		cwd: `${import.meta.dir}/..`,
		stdout: "pipe",
	});
	const lines = (await new Response(child.stdout).text()).trim().split("\n");
	expect(lines).toHaveLength(200);
	expect(JSON.parse(lines[199] ?? "")).toMatchObject({ level: "info", index: 199 });
});
