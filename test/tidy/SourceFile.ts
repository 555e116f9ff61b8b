/** One file of the project as the rules see it. */
export type SourceFile = {
	/** From the root, with forward slashes. */
	path: string;
	text: string;
	/**
	 * The text with comments and the insides of literals blanked out, every other character in its
	 * place: what a rule finds here is code.
	 */
	code: string;
	comments: { line: number; text: string }[];
	imports: SourceImport[];
	exports: { name: string; kind: "value" | "type" }[];
};

export type SourceImport = {
	/** As written. */
	specifier: string;
	/** From the root; undefined for packages. */
	target: string | undefined;
	typeOnly: boolean;
	line: number;
};
