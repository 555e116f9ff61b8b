import type { ConfigSection } from "#core/config/ConfigSection.ts";
import { fieldOf } from "#core/config/fieldOf.ts";
import { maskValue } from "#core/config/maskValue.ts";
import type { Config } from "#core/config/parseConfig.ts";
import { renderValue } from "#core/config/renderValue.ts";

/** What the service would run with, for `svc config print`: safe to paste into an issue. */
export function renderConfig(sections: readonly ConfigSection[], config: Config): string {
	const parts = sections.map((section) => {
		const values: Record<string, unknown> = config.of(section);
		const lines = Object.entries(section.schema.shape).map(([name, schema]) => {
			const text = renderValue(values[name]);
			if (text === undefined) return `# ${name} is not set`;
			const { declaredSecret } = fieldOf(schema);
			// One line a variable: a value may hold line ends and terminal controls.
			return `${name}=${maskValue({ name, text, declaredSecret }).replace(/\p{Cc}/gu, " ")}`;
		});
		return [`# --- ${section.owner} ---`, ...lines].join("\n");
	});
	return `${parts.join("\n\n")}\n`;
}
