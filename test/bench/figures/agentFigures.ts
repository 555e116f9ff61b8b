import type { Figure } from "#test/bench/Figure.ts";
import type { AgentRead } from "#test/bench/measure/runAgent.ts";
import { median, percentile, spread } from "#test/bench/report/statistics.ts";

const COMMANDS_PER_SECOND_MIN = 300_000;
const REPLY_MS_MAX = 10;
const MEMORY_MB_MAX = 250;

/** The agent's cost: reading a text, answering one, and serving all channels. */
export const agentFigures: readonly Figure[] = [
	{
		name: "commands parsed/s",
		unit: "commands/s",
		goal: { kind: "at_least", value: COMMANDS_PER_SECOND_MIN },
		async measure(lab) {
			const { commands, unread } = await lab.commands();
			const note =
				`by CPU time of one process; ${commands.texts} examples of all built-in plugins, as they are ` +
				`printed; ${spread(commands.rates)}; of ${unread.texts} texts that nothing reads the slowest ` +
				`takes ${unread.ms.toFixed(2)} ms ("${unread.begins}…")`;
			return { value: median(commands.rates), note };
		},
	},
	{
		name: "phrasings parsed/s",
		unit: "texts/s",
		goal: null,
		async measure(lab) {
			const { typed } = await lab.commands();
			const note = `${typed.texts} questions with fillers and typos; ${spread(typed.rates)}`;
			return { value: median(typed.rates), note };
		},
	},
	{
		name: "agent text to reply p95",
		unit: "ms",
		goal: { kind: "at_most", value: REPLY_MS_MAX },
		async measure(lab) {
			const { reads, beside } = await lab.agent();
			const p95 = ({ delaysMs }: AgentRead) => percentile(delaysMs, 95);
			const slowest = reads.reduce((most, read) => (p95(read) > p95(most) ? read : most));
			const note =
				`the slowest tool (${slowest.name}); POST /v1/agent/command, one at a time, half by slug and ` +
				`half by name, beside ${beside.toFixed(2)} cores of work of the service's own; p50, p95, ` +
				`CPU ms of service + PostgreSQL, that work included: ${reads.map(readText).join(", ")}`;
			return { value: p95(slowest), note };
		},
	},
	{
		name: "agent peak memory",
		unit: "MB",
		goal: { kind: "at_most", value: MEMORY_MB_MAX },
		async measure(lab) {
			const { peakMb, startMb, requests } = (await lab.agent()).memory;
			const note =
				`VmHWM of the service after ${requests} texts, chats and MCP requests, 8 at once; ` +
				`${startMb.toFixed(0)} before`;
			return { value: peakMb, note };
		},
	},
];

function readText({ name, delaysMs, cpu }: AgentRead): string {
	const [p50, p95] = [50, 95].map((rank) => percentile(delaysMs, rank).toFixed(1));
	const [service, postgres] = [cpu.service, cpu.postgres].map((s) => (s * 1_000).toFixed(1));
	return `${name} ${p50}, ${p95}, ${service} + ${postgres}`;
}
