/** Answers the lines of one section of a document, with their numbers, up to the next heading. */
export function sectionOf(text: string, heading: string): { line: number; text: string }[] {
	const lines = text.split("\n").map((one, at) => ({ line: at + 1, text: one }));
	const start = lines.findIndex((one) => one.text === `## ${heading}`);
	if (start < 0) return [];
	const rest = lines.slice(start + 1);
	const end = rest.findIndex((one) => one.text.startsWith("## "));
	return end < 0 ? rest : rest.slice(0, end);
}
