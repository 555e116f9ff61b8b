import { expect } from "bun:test";
import type { AnyTool, ToolAnswer } from "#core/plugin/Tool.ts";
import { LINE_LENGTH_MAX } from "#plugins/market-index/agent/lineText.ts";
import { marketTools } from "#plugins/market-index/agent/marketTools.ts";
import type { Fixture } from "#plugins/market-index/testing/marketFixture.ts";

type Told = {
	// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes.
	output: any;
	line: string;
	asOfMs: number | null;
};

/** Runs the market's tools as the agent does, and holds each answer against what tools promise. */
export function createToolLab(fixture: Fixture) {
	const tools = marketTools(fixture);
	const toolOf = (name: string): AnyTool => {
		const tool = tools.find((one) => one.name === name);
		if (!tool) throw new Error(`no tool ${name}`);
		return tool;
	};
	const ask = async (name: string, input: unknown): Promise<ToolAnswer<unknown>> => {
		const tool = toolOf(name);
		return tool.run(tool.input.parse(input), {
			caller: { channel: "agent", profileId: null, authority: "none" },
			idempotencyKey: null,
			signal: AbortSignal.timeout(60_000),
		});
	};
	return {
		tools,
		ask,
		/** An answer that is no question: of its schema, in one line that is short enough. */
		async tell(name: string, input: unknown): Promise<Told> {
			const tool = toolOf(name);
			const answer = await ask(name, input);
			if (answer.kind !== "done") throw new Error(`${name} asks: ${answer.question}`);
			const { output } = answer;
			expect(tool.output.parse(output)).toEqual(output);
			expect(JSON.parse(JSON.stringify(output))).toEqual(output);
			const line = tool.line(output);
			expect(line).not.toContain("\n");
			expect([...line].length).toBeLessThanOrEqual(LINE_LENGTH_MAX);
			expect(line).not.toMatch(/null|undefined|NaN/);
			return { output, line, asOfMs: tool.asOfMs(output) };
		},
	};
}
