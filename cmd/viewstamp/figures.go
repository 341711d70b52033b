package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/model/check"
)

// figureOrder is the order of figures in a row; others follow by name.
var figureOrder = []string{
	check.FigureDistinct, check.FigureTransitions, check.FigureDepth,
	verify.FigureCounterexample,
	check.FigureSometimesHit, check.FigureActionsCovered, check.FigureMutantsCaught,
	verify.FigureHistories, verify.FigureTraces, verify.FigureScenarios, verify.FigureTwins,
	verify.FigureSeeds, verify.FigureEvents, verify.FigureStutters, verify.FigureFollowed,
	verify.FigureRefused, verify.FigureRejected, verify.FigureEquivalent, verify.FigureTicks,
	verify.FigureOperations,
}

// parts are the figures that are shown as "12/13 goals", with their totals.
var parts = map[string]struct{ total, words string }{
	check.FigureSometimesHit:   {check.FigureSometimesTotal, "goals"},
	check.FigureActionsCovered: {check.FigureActionsTotal, "actions"},
	check.FigureMutantsCaught:  {check.FigureMutants, "mutants caught"},
}

// figures are what a check counted, for people.
func figures(f verify.Figures) string {
	keys := slices.Clone(figureOrder)
	for _, key := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	var words []string
	for _, key := range keys {
		value, counted := f[key]
		part, isPart := parts[key]
		switch {
		case !counted || isTotal(key, f):
		case isPart:
			words = append(words, fmt.Sprintf("%s/%s %s", number(value), number(f[part.total]),
				part.words))
		case key == check.FigureDepth, key == verify.FigureCounterexample:
			words = append(words, key+" "+number(value))
		case key == check.FigureDistinct:
			words = append(words, number(value)+" states")
		case key == check.FigureRatio:
			words = append(words, fmt.Sprintf("ratio %.1f", value))
		case key == check.FigureGoPerCPUSecond:
			words = append(words, "Go "+number(value)+" states/CPU-s")
		case key == check.FigureTLCPerCPUSecond:
			words = append(words, "TLC "+number(value)+" states/CPU-s")
		case key == check.FigureStatesPerCPUSecond:
			words = append(words, number(value)+" states/CPU-s")
		case value != math.Trunc(value):
			words = append(words, fmt.Sprintf("%.2f %s", value, strings.ReplaceAll(key, "_", " ")))
		default:
			words = append(words, number(value)+" "+strings.ReplaceAll(key, "_", " "))
		}
	}
	return strings.Join(words, ", ")
}

// isTotal reports whether a figure is shown as the total of another one.
func isTotal(key string, f verify.Figures) bool {
	for part, of := range parts { // One at most: the order leaves no mark.
		if _, counted := f[part]; counted && of.total == key {
			return true
		}
	}
	return false
}

// number writes a figure with commas between the thousands.
func number(value float64) string {
	digits := strconv.FormatFloat(value, 'f', 0, 64)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
