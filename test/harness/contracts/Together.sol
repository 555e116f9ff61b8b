// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// What Multicall3 does, as far as views need it: calls of which one that fails stops no other.
contract Together {
	struct Call3 {
		address target;
		bool allowFailure;
		bytes callData;
	}

	struct Result {
		bool success;
		bytes returnData;
	}

	error CallFailed();

	function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
		results = new Result[](calls.length);
		for (uint256 at = 0; at < calls.length; at++) {
			(bool success, bytes memory data) = calls[at].target.call(calls[at].callData);
			if (!success && !calls[at].allowFailure) revert CallFailed();
			results[at] = Result(success, data);
		}
	}

	function getEthBalance(address account) external view returns (uint256) {
		return account.balance;
	}
}
