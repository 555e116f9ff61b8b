import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createMetrics } from "#core/metrics.ts";
import { intentMachine } from "#plugins/wallets/intent/Intent.ts";
import type { SubmissionState } from "#plugins/wallets/model.ts";
import { watchMetrics } from "#plugins/wallets/watch/createWatch.ts";

// Guarantee: whoever is on duty finds in OPERATIONS.md what leaves each state and what frees it,
// and alert rules for each figure of what waits.

const operations = readFileSync(join(import.meta.dir, "../OPERATIONS.md"), "utf8");

function section(title: string): string {
	const [, rest = ""] = operations.split(`\n## ${title}\n`);
	return rest.split("\n## ")[0] ?? "";
}

/** Rows of each table of a section, by their first cell. */
function tables(text: string): Map<string, string[]>[] {
	return text
		.split(/\n\n/)
		.filter((block) => block.startsWith("| state |"))
		.map((block) => {
			const rows = block.trim().split("\n").slice(2);
			return new Map(
				rows.map((row) => {
					const [, state = "", ...cells] = row.split("|").map((cell) => cell.trim());
					return [state.replaceAll("`", ""), cells.slice(0, -1)] as const;
				}),
			);
		});
}

const rulesSchema = z.object({
	groups: z.array(
		z.object({
			name: z.string(),
			rules: z.array(
				z.strictObject({
					alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
					expr: z.string(),
					for: z.string().regex(/^\d+m$/),
					annotations: z.strictObject({ summary: z.string(), action: z.string() }),
				}),
			),
		}),
	),
});

function rules() {
	const [, yaml = ""] = section("Alerts").split("```yaml\n");
	const parsed = rulesSchema.parse(Bun.YAML.parse(yaml.split("```")[0] ?? ""));
	return parsed.groups.flatMap((group) => group.rules);
}
const alerts = new Set(rules().map(({ alert }) => alert));

const SUBMISSION_STATES = Object.keys({
	...{ queued: 0, sending: 0, sent: 0, doubtful: 0, dropped: 0 },
	...{ refused: 0, mined: 0, reverted: 0, never: 0 },
} satisfies Record<SubmissionState, 0>);

describe("the states in the README", () => {
	const [intents = new Map(), submissions = new Map()] = tables(section("What leaves each state"));

	test("each state of an intent is in the README, with exactly the moves of the machine", () => {
		expect([...intents.keys()]).toEqual(Object.keys(intentMachine));
		for (const [state, moves] of Object.entries(intentMachine)) {
			const [leaves = ""] = intents.get(state) ?? [];
			const named = [...leaves.matchAll(/`(\w+)`/g)].map((match) => match[1]);
			expect([state, named.toSorted()]).toEqual([state, Object.keys(moves).toSorted()]);
		}
	});

	test("each state of a submission is in the README", () => {
		expect([...submissions.keys()].toSorted()).toEqual(SUBMISSION_STATES.toSorted());
	});

	test("each state names an existing alert for the case that nothing leaves it, or is never open", () => {
		for (const [state, cells] of [...intents, ...submissions]) {
			const stuck: string = cells.at(-1) ?? "";
			const named = /^([A-Z]\w+)/.exec(stuck)?.[1] ?? "";
			expect([state, stuck === "nothing is open" || alerts.has(named)]).toEqual([state, true]);
		}
	});
});

describe("alert rules", () => {
	test("the README's alert rules each say what they mean and what to do, no two alike", () => {
		expect(alerts.size).toBe(rules().length);
		for (const { annotations } of rules()) {
			expect(annotations.summary).toMatch(/\.$/);
			expect(annotations.action).toMatch(/\.$/);
		}
	});

	test("each metric of waiting intents has an alert rule", async () => {
		const metrics = createMetrics();
		watchMetrics(metrics);
		const { body } = await metrics.expose();
		const shown = [...body.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? "");
		expect(shown.length).toBeGreaterThan(8);
		const named = rules().map(({ expr }) => expr);
		for (const name of shown) {
			const isNamed = named.some((expr) => new RegExp(`\\b${name}\\b`).test(expr));
			expect([name, isNamed]).toEqual([name, true]);
		}
	});
});
