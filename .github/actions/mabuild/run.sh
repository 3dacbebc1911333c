#!/usr/bin/env bash
# Calls mabuild with what the inputs of the action say: each value is an argument of its own, and never part of a script.
set -euo pipefail

PATH=$RUNNER_TEMP/mabuild/bin:$PATH
options=()
services=()

trimmed() {
  local text=$1
  text=${text#"${text%%[![:space:]]*}"}
  printf '%s' "${text%"${text##*[![:space:]]}"}"
}

# One option for every line of a text.
each() {
  local line
  while IFS= read -r line; do
    line=$(trimmed "$line")
    [[ -z $line ]] || options+=("$1=$line")
  done <<< "$2"
}

one() {
  [[ -z $2 ]] || options+=("$1=$2")
}

# Names of cells hold no spaces; anything else is refused, so that no pattern is taken for file names.
cells() {
  local cell
  set -f
  for cell in ${MABUILD_CELLS:-}; do
    [[ $cell =~ ^[A-Za-z0-9._-]+@[a-z0-9/]+$ ]] || { printf '::error::%q is no cell\n' "$cell" >&2; return 2; }
    printf '%s\n' "$cell"
  done
}

call() {
  mabuild "$@" ${options[@]+"${options[@]}"} ${services[@]+-- "${services[@]}"}
}

while IFS= read -r line; do
  line=$(trimmed "$line")
  [[ -z $line ]] || services+=("$line")
done <<< "${MABUILD_SERVICES:-}"

each --file "${MABUILD_FILES:-}"
wanted=$(cells)

case $MABUILD_COMMAND in
  emulated)
    for cell in $wanted; do
      options+=("--platform=${cell#*@}")
    done
    one --platform "${MABUILD_PLATFORMS:-}"
    GITHUB_STEP_SUMMARY='' call plan --offline --format json > /dev/null
    ;;
  audit)
    services=()
    [[ -z $MABUILD_REPORT ]] || GITHUB_ACTIONS='' call audit --fail-on never --format sarif --output "$MABUILD_REPORT"
    one --fail-on "$MABUILD_FAIL_ON"
    call audit
    ;;
  plan)
    one --platform "$MABUILD_PLATFORMS"
    plan=$RUNNER_TEMP/mabuild-plan.json
    GITHUB_ACTIONS='' call plan --format json --output "$plan"
    echo "plan=$plan" >> "$GITHUB_OUTPUT"
    one --records "$MABUILD_RECORDS"
    call plan --format matrix --group-by "$MABUILD_GROUP_BY"
    ;;
  build)
    one --platform "$MABUILD_PLATFORMS"
    if [[ $MABUILD_PUSH == true ]]; then
      for cell in $wanted; do
        options+=("--cell=$cell")
      done
      one --records "$MABUILD_RECORDS"
      options+=(--push)
    else
      options+=("--output=$RUNNER_TEMP/mabuild-images")
    fi
    one --metadata-file "$MABUILD_METADATA"
    one --builder "$MABUILD_BUILDER"
    call build --keep-going
    ;;
  publish)
    one --records "$MABUILD_RECORDS"
    call publish
    ;;
  verify)
    one --platform "$MABUILD_PLATFORMS"
    one --level "$MABUILD_LEVEL"
    [[ -z $MABUILD_REPORT ]] || options+=(--format sarif "--output=$MABUILD_REPORT")
    call verify
    ;;
  *)
    printf '::error::the action knows audit, plan, build, publish and verify, not %q\n' "$MABUILD_COMMAND"
    exit 2
    ;;
esac
