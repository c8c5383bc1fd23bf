// Renders a chart as `helm template` does, for machines where helm cannot be had: text/template with sprig, and the functions that helm
// adds. Standard input is {"chart": folder, "name": ..., "namespace": ..., "values": [JSON texts, the last one wins]}; standard output
// is JSON: the text of each template by its path.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type order struct {
	Chart     string
	Name      string
	Namespace string
	Values    []string
}

type metadata struct {
	Name, Version, AppVersion, Description, KubeVersion, Type string
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A null deletes the key; a map is merged; anything else replaces.
func merged(base, over map[string]interface{}) map[string]interface{} {
	for key, value := range over {
		inner, isMap := value.(map[string]interface{})
		known, wasMap := base[key].(map[string]interface{})
		switch {
		case value == nil:
			delete(base, key)
		case isMap && wasMap:
			base[key] = merged(known, inner)
		default:
			base[key] = value
		}
	}
	return base
}

func toYaml(value interface{}) string {
	data, err := yaml.Marshal(value)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(data), "\n")
}

func main() {
	var ordered order
	must(json.NewDecoder(os.Stdin).Decode(&ordered))

	values := map[string]interface{}{}
	text, err := os.ReadFile(filepath.Join(ordered.Chart, "values.yaml"))
	must(err)
	for _, source := range append([]string{string(text)}, ordered.Values...) {
		more := map[string]interface{}{}
		must(yaml.Unmarshal([]byte(source), &more))
		values = merged(values, more)
	}

	text, err = os.ReadFile(filepath.Join(ordered.Chart, "Chart.yaml"))
	must(err)
	var chart metadata
	must(yaml.Unmarshal(text, &chart))

	root := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["toYaml"] = toYaml
	functions["toJson"] = func(value interface{}) string {
		data, err := json.Marshal(value)
		must(err)
		return string(data)
	}
	functions["required"] = func(complaint string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf(complaint)
		}
		return value, nil
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var written strings.Builder
		err := root.ExecuteTemplate(&written, name, data)
		return written.String(), err
	}
	root.Funcs(functions)

	files, err := filepath.Glob(filepath.Join(ordered.Chart, "templates", "*"))
	must(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(err)
		_, err = root.New(filepath.Base(file)).Parse(string(text))
		must(err)
	}

	rendered := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var written bytes.Buffer
		must(root.ExecuteTemplate(&written, name, map[string]interface{}{
			"Values": values,
			"Chart":  chart,
			"Release": map[string]interface{}{
				"Name": ordered.Name, "Namespace": ordered.Namespace, "Service": "Helm",
				"IsInstall": true, "IsUpgrade": false, "Revision": 1,
			},
		}))
		rendered[name] = strings.ReplaceAll(written.String(), "<no value>", "")
	}
	must(json.NewEncoder(os.Stdout).Encode(rendered))
}
