// Lists the figures of the agent, of reveals and of the agent on X.

import type { Figure } from "#test/bench/Figure.ts";
import type { AgentRead } from "#test/bench/measure/runAgent.ts";
import { FILLS, REVEALED_AT_ONCE } from "#test/bench/measure/runPlans.ts";
import { SIX } from "#test/bench/measure/runReveals.ts";
import { FLOOD_PER_SECOND, FLOOD_SECONDS } from "#test/bench/measure/runSocial.ts";
import { median, percentile, spread } from "#test/bench/statistics.ts";

const COMMANDS_PER_SECOND_MIN = 300_000;
const AGENT_REPLY_MS_MAX = 10;
const AGENT_MEMORY_MB_MAX = 250;

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
		goal: { kind: "at_most", value: AGENT_REPLY_MS_MAX },
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
		goal: { kind: "at_most", value: AGENT_MEMORY_MB_MAX },
		async measure(lab) {
			const { peakMb, startMb, requests } = (await lab.agent()).memory;
			const note =
				`VmHWM of the service after ${requests} texts, chats and MCP requests, 8 at once; ` +
				`${startMb.toFixed(0)} before`;
			return { value: peakMb, note };
		},
	},
];

const SUBSCRIBED_P95_MS_MAX = 25;
const PROBED_P95_MS_MAX = 400;
const FILL_P95_MS_MAX = 30;
const LAST_BURST_WAIT_MS_MAX = 250;
const BURST_S_MAX = 5;
const FILLS_S_MAX = 5;
const AFTER_READ_MS_MAX = 500;

/** From a reveal's block to a plan's first buy. Reading and ranking are in `tokenFigures`. */
export const revealFigures: readonly Figure[] = [
	{
		name: "reveal noticed by subscription p95",
		unit: "ms",
		goal: { kind: "at_most", value: SUBSCRIBED_P95_MS_MAX },
		measure: async (lab) => noticed((await lab.detections()).bySubscriptionMs),
	},
	{
		name: "reveal noticed by block probe p95",
		unit: "ms",
		goal: { kind: "at_most", value: PROBED_P95_MS_MAX },
		measure: async (lab) => noticed((await lab.detections()).byBlockMs),
	},
	{
		name: "reveal ranks to first fill p95",
		unit: "ms",
		goal: { kind: "at_most", value: FILL_P95_MS_MAX },
		async measure(lab) {
			const { delaysMs, providerMs } = await lab.planFills();
			const note =
				`${delaysMs.length} reveals, until the wallet provider has the buy; ` +
				`p50 ${percentile(delaysMs, 50).toFixed(1)}; the marketplace's answers, ` +
				`p50 ${percentile(providerMs, 50).toFixed(1)} ms for two, are taken off`;
			return { value: percentile(delaysMs, 95), note };
		},
	},
	{
		name: "reveals in one block, plans starved or beyond their budget",
		unit: "plans",
		goal: { kind: "at_most", value: 0 },
		async measure(lab) {
			const { plans, fills, starved, exceeded, ...times } = await lab.manyReveals();
			const { firstFillsS, allFillsS, perMinute } = times;
			const note =
				`${plans} plans for ${REVEALED_AT_ONCE} collections, ${perMinute} fulfilments a minute: ` +
				`${fills} fills; each plan had its first after ${firstFillsS.toFixed(0)} s at most, ` +
				`all theirs after ${allFillsS.toFixed(0)} s, by a clock that runs 20 times as fast`;
			return { value: starved + exceeded, note };
		},
	},
	{
		name: "six reveals in one block, wait of the last burst",
		unit: "ms",
		goal: { kind: "at_most", value: LAST_BURST_WAIT_MS_MAX },
		async measure(lab) {
			const { lastWaitMs, allMs, tokens } = await lab.sixReveals();
			const note =
				`from its detection, and the end of the burst before it, to its beginning; ${SIX} times ` +
				`${tokens} tokens, all done ${(allMs / 1_000).toFixed(2)} s after the first was noticed`;
			return { value: lastWaitMs, note };
		},
	},
	{
		name: "six reveals in one block, longest burst",
		unit: "s",
		goal: { kind: "at_most", value: BURST_S_MAX },
		async measure(lab) {
			const note = "no burst waits for the next tick, which comes each 20 s";
			return { value: (await lab.sixReveals()).longestMs / 1_000, note };
		},
	},
	{
		name: "fifteen fills of one plan",
		unit: "s",
		goal: { kind: "at_most", value: FILLS_S_MAX },
		async measure(lab) {
			const { lastMs, answerMs } = await lab.fifteenFills();
			const seconds = lastMs.map((ms) => ms / 1_000);
			const note =
				`the slowest of ${spread(seconds)}: from ranks until the wallet provider has all ${FILLS}; ` +
				`the marketplace takes ${answerMs} ms for each answer`;
			return { value: Math.max(...seconds), note };
		},
	},
	{
		name: "silent tokens, 95 % read to submitted p95",
		unit: "ms",
		goal: { kind: "at_most", value: AFTER_READ_MS_MAX },
		isByName: true,
		async measure(lab) {
			const { tokens, afterMs, readMs } = await lab.silentTokens();
			const read = spread(readMs.map((ms) => ms / 1_000));
			const note =
				`${tokens.toLocaleString("en")} tokens of which 5 % never answer; ${spread(afterMs)}; the ` +
				`others were stored after ${read} s; the whole sandbox on one machine`;
			return { value: percentile(afterMs, 95), note };
		},
	},
	{
		name: "reveal of 10,000 tokens, block to submitted",
		unit: "s",
		goal: null,
		isByName: true,
		async measure(lab) {
			const { detectedMs, rankedMs, submittedMs } = await lab.wholeReveal();
			const note =
				`the whole sandbox on one machine: noticed after ${detectedMs} ms, all tokens read, ` +
				`counted and ranked after ${(rankedMs / 1_000).toFixed(2)} s`;
			return { value: submittedMs / 1_000, note };
		},
	},
];

const SOCIAL_REPLY_MS_MAX = 50;
const SOCIAL_COMMAND_MS_MAX = 25;
const SOCIAL_MEMORY_MB_MAX = 250;

/**
 * The agent on X: how soon it answers, and how much it can handle. X is emulated, and costs little.
 */
export const socialFigures: readonly Figure[] = [
	{
		name: "mention to reply p95",
		unit: "ms",
		goal: { kind: "at_most", value: SOCIAL_REPLY_MS_MAX },
		async measure(lab) {
			const { replyMs } = await lab.social();
			const note =
				`${replyMs.length} mentions, one at a time, from the signed delivery's start until X has the ` +
				`answer; p50 ${percentile(replyMs, 50).toFixed(0)}`;
			return { value: percentile(replyMs, 95), note };
		},
	},
	{
		name: "mentioned command, beyond its kind, p95",
		unit: "ms",
		goal: { kind: "at_most", value: SOCIAL_COMMAND_MS_MAX },
		async measure(lab) {
			const { commandMs, kindMs } = await lab.social();
			const [all, own] = [commandMs, kindMs].map((times) => percentile(times, 95));
			const note =
				`${commandMs.length} sends by mention, one at a time, until X has the answer that says ` +
				`submitted: ${all?.toFixed(0)}; ${kindMs.length} by HTTP until submitted: ${own?.toFixed(0)}`;
			return { value: (all ?? 0) - (own ?? 0), note };
		},
	},
	{
		name: "mentions lost in a flood",
		unit: "mentions",
		goal: { kind: "at_most", value: 0 },
		async measure(lab) {
			const { flood } = await lab.social();
			const { sent, seconds, answered, left, lastMs } = flood;
			const note =
				`${sent} of ${FLOOD_PER_SECOND * FLOOD_SECONDS} mentions in ${seconds.toFixed(1)} s, of ` +
				`${FLOOD_PER_SECOND}/s for ${FLOOD_SECONDS} s; ${answered} answered, ${left} left with a ` +
				`reason, the last ${(lastMs / 1_000).toFixed(1)} s after the last mention`;
			return { value: sent - answered - left, note };
		},
	},
	{
		name: "social peak memory",
		unit: "MB",
		goal: { kind: "at_most", value: SOCIAL_MEMORY_MB_MAX },
		async measure(lab) {
			const { peakMb, startMb } = (await lab.social()).memory;
			const note = `VmHWM of the service after all of that; ${startMb.toFixed(0)} before`;
			return { value: peakMb, note };
		},
	},
];

function readText({ name, delaysMs, cpu }: AgentRead): string {
	const [p50, p95] = [50, 95].map((rank) => percentile(delaysMs, rank).toFixed(1));
	const [service, postgres] = [cpu.service, cpu.postgres].map((s) => (s * 1_000).toFixed(1));
	return `${name} ${p50}, ${p95}, ${service} + ${postgres}`;
}

function noticed(delaysMs: readonly number[]) {
	const note =
		`${delaysMs.length} reveals, from before evm_mine until it is stored, documents included; ` +
		`p50 ${percentile(delaysMs, 50).toFixed(0)}, worst ${Math.max(...delaysMs).toFixed(0)}; ` +
		"a block each 100 ms; service and documents share a process";
	return { value: percentile(delaysMs, 95), note };
}
