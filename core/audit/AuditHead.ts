/** The newest entry: what stands before it cannot change without changing this. */
export type AuditHead = {
	/** 0 and zeros where there is no entry yet. */
	seq: number;
	/** Lower case hexadecimal, 64 digits. */
	hash: string;
};
