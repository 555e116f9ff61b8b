import type { Grammar, Parsed } from "#agent/grammar/Grammar.ts";
import type { Command } from "#core/plugin/Command.ts";

/**
 * A grammar for tests of what stands behind it: forms of plain words and `{places}` alone, each
 * place one word or a text in double quotes, and no tolerance.
 */
export function plainGrammar(commands: readonly Command[]): Grammar {
	const parse = (typed: string): Parsed => {
		const text = typed.trim();
		if (text.includes("\n")) return unread("text_two_commands", "That is more than one command.");
		for (const command of commands) {
			for (const form of command.forms) {
				const values = valuesOf(form, text);
				if (values) return { kind: "read", reading: { command, values }, text };
			}
		}
		const near = commands.flatMap(({ examples: [first] }) => first ?? []).slice(0, 3);
		return { ...unread("unknown_command", `I do not know "${text.slice(0, 40)}".`), near };
	};
	return {
		commands,
		parse,
		print: ({ command: { forms }, values }) => {
			const full = forms.find((form) => placesOf(form).every((name) => name in values)) ?? "";
			return full.replace(/\{(\w+)\}/g, (_, name: string) => quoted(values[name] ?? ""));
		},
	};
}

function unread(code: string, detail: string): Extract<Parsed, { kind: "unread" }> {
	return { kind: "unread", code, detail, position: 0, near: [] };
}

function placesOf(form: string): string[] {
	return [...form.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

function valuesOf(form: string, text: string): Record<string, string> | null {
	const pattern = form.replace(/\{\w+\}/g, '("[^"]+"|[^\\s"]+)');
	const found = new RegExp(`^${pattern}$`, "i").exec(text);
	if (!found) return null;
	const places = placesOf(form).map((name, at) => [
		name,
		(found[at + 1] ?? "").replaceAll('"', ""),
	]);
	return Object.fromEntries(places);
}

function quoted(value: string): string {
	return value.includes(" ") ? `"${value}"` : value;
}
